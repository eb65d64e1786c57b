// Datasets of images with masks in files: the lists that the layout readers create, and the Dataset
// that decodes the files on demand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lethe/data/data_file.h"
#include "lethe/data/dataset.h"
#include "lethe/data/mask_file.h"

namespace lethe {

struct MaskFile {
  std::filesystem::path image;
  std::filesystem::path mask;
  std::filesystem::path saliency = {};  // empty = none
  std::vector<int64_t> labels = {};     // labels in the mask, without background and void
};

// How to read the masks.
struct MaskReading {
  ColourTable colours = {};  // empty: the files contain ids
  int64_t void_id = 255;     // void id in the files; in memory it is kVoid
};

// The files and class names of a dataset. Listing them opens no images and no masks.
struct MaskLists {
  std::filesystem::path root;
  std::vector<std::string> class_names;  // by id; the first is background
  std::string classes_origin;            // the source of the names, for messages
  MaskReading reading = {};
  std::vector<MaskFile> train;
  std::vector<MaskFile> test;
  std::vector<DataFile> list_files = {};  // files with image names, class names or colours
};

// Sets the labels of every file (mask_classes.h). Throws DataError, naming the file, for an id that
// is not a class and for a mask that cannot be decoded. With skip_undecodable, masks that cannot be
// decoded are skipped with a warning instead.
void find_labels(MaskLists& lists, bool skip_undecodable, int threads);

// Decodes in get(), which throws DataError if decoding fails or the sizes differ.
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
