// A prepared set: the images of a set of image files, decoded, scaled and stored once (prepare.h),
// so that an epoch is not bound by decoding. The folder holds
//
//   index.json            what it was made of, the classes, and of every image its name, label,
//                         place, size and CRC32
//   train.bin, test.bin   the pixels: planes of red, green and blue, image after image
//   SHA256SUMS            the sum of index.json
//
// It stands for itself: the files it was made of are not needed any more. Images are exactly those
// that ImageFiles gives, so results are the same bits with and without it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lethe/data/options.h"

namespace lethe {

// What index.json says of one image.
struct PreparedImage {
  std::string name;  // of its file, below the root
  int64_t label = -1;
  int64_t offset = 0;  // in the file of its part
  int64_t height = 0;
  int64_t width = 0;
  uint32_t crc32 = 0;  // of its pixels
};

struct PreparedIndex {
  DataOptions options;  // what it was made with; prepared is its folder
  std::vector<std::string> class_names;
  std::vector<std::string> skipped;  // names of images that could not be decoded
  std::vector<PreparedImage> train;
  std::vector<PreparedImage> test;
};

// The path of a folder in one form: absolute, without "..", without a slash at the end.
std::string normal_folder(const std::filesystem::path& folder);

inline constexpr const char* kPreparedIndex = "index.json";

// The index as the text of its file.
std::string to_json(const PreparedIndex& index);

// Throws DataError if the folder holds no prepared set, or if the index or the size of a file is
// not what was written.
PreparedIndex read_prepared_index(const std::filesystem::path& folder);

// The splits of options.prepared, memory-mapped; every image is checked by its CRC32 when it is
// read. Throws ConfigError, naming both values, if the set was prepared with other options.
DataSplits open_prepared(const DataOptions& options);

}  // namespace lethe
