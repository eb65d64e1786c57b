// Data sets of images with masks in files: the lists that the readers of layouts make, and the
// Dataset that decodes them on demand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lethe/data/dataset.h"
#include "lethe/data/mask_file.h"

namespace lethe {

struct MaskFile {
  std::filesystem::path image;
  std::filesystem::path mask;
  std::filesystem::path saliency = {};  // empty = none
  std::vector<int64_t> labels = {};     // that the mask holds, without background and void
};

// How masks are to be read.
struct MaskReading {
  ColourTable colours = {};  // empty: the files hold ids
  int64_t void_id = 255;     // in the files; in memory it is kVoid
};

// What a layout holds. Making it opens no image and no mask.
struct MaskLists {
  std::filesystem::path root;
  std::vector<std::string> class_names;  // by id; the first is background
  std::string classes_origin;            // where the names stand, for messages
  MaskReading reading = {};
  std::vector<MaskFile> train;
  std::vector<MaskFile> test;
};

// Fills in every file's labels (mask_classes.h). Masks that cannot be decoded are left out, with a
// warning, if skip_undecodable is set. Throws DataError, naming the file, for such a mask else, and
// for an id that is no class.
void find_labels(MaskLists& lists, bool skip_undecodable, int threads);

// Decodes in get(), which throws DataError if that fails or if sizes differ.
class MaskFiles : public Dataset {
 public:
  MaskFiles(DatasetInfo info, std::vector<MaskFile> files, MaskReading reading);

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return static_cast<int64_t>(files_.size()); }
  Sample get(int64_t index) const override;
  std::vector<int64_t> labels_of(int64_t index) const override { return file(index).labels; }

 private:
  const MaskFile& file(int64_t index) const;

  DatasetInfo info_;
  std::vector<MaskFile> files_;
  MaskReading reading_;
};

}  // namespace lethe
