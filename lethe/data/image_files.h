// Datasets of image files: the lists that the layout readers create, and the Dataset that decodes
// the files on demand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lethe/data/data_file.h"
#include "lethe/data/dataset.h"

namespace lethe {

struct ImageFile {
  std::filesystem::path path;
  int64_t label = -1;
};

// The files and class names of a dataset. Listing them opens no images.
struct ImageLists {
  std::vector<std::string> class_names;  // by label
  std::vector<ImageFile> train;
  std::vector<ImageFile> test;
  std::vector<DataFile> list_files = {};  // files with image names, labels or class names
};

// Moves the given fraction of the training images of each class to test. The choice is the same in
// every run (hold_out.h).
void hold_out_test(ImageLists& lists, double fraction);

// Throws DataError if a file is missing. The message gives the number of missing files, the first
// of them, and origin (the list that names the files).
void require_files(const std::vector<ImageFile>& files, const std::filesystem::path& origin);

// The size of an image between decoding and Transform. Resizing is a separate stage whose result is
// rounded to 8 bits. A prepared dataset is therefore bit-identical to one that is decoded in every
// epoch.
struct StoredSize {
  int64_t side = 0;
  bool keep_proportions = false;  // true: side is the shorter side; false: both sides
};

StoredSize stored_for_training(int64_t size);  // the shorter side is size * 256 / 224, rounded
StoredSize stored_for_testing(int64_t size);   // size x size (specification 2.2)

// Reads and resizes one image. Throws like read_image.
at::Tensor read_stored(const std::filesystem::path& path, const StoredSize& size);

// A file that cannot be decoded, and the reason.
struct Undecodable {
  int64_t index = 0;
  std::string message;  // names the file
};

// Decodes every file, on `threads` threads and with a progress line, and returns the files that
// fail. Throws Interrupted if a signal asks to stop.
std::vector<Undecodable> find_undecodable(const std::vector<ImageFile>& files, int threads);

// The indices of the files that cannot be decoded, ascending; data.undecodable = "skip" skips them.
// Prints warnings that name some of the files and give their number. part is "training" or "test".
std::vector<int64_t> left_out(const std::vector<ImageFile>& files, const char* part);

// Decodes in get(), which throws DataError if decoding fails.
class ImageFiles : public Dataset {
 public:
  // Every label must be below info.class_names.size().
  ImageFiles(DatasetInfo info, std::vector<ImageFile> files, const StoredSize& size);

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return static_cast<int64_t>(files_.size()); }
  Sample get(int64_t index) const override;
  std::vector<int64_t> labels_of(int64_t index) const override;

 private:
  const ImageFile& file(int64_t index) const;

  DatasetInfo info_;
  std::vector<ImageFile> files_;
  StoredSize size_;
};

}  // namespace lethe
