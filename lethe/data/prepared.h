// A prepared dataset: the images of a dataset of image files, decoded, resized and stored once
// (prepare.h), so that decoding does not slow down training. The folder contains
//
//   index.json            the options it was made with, the classes, and for each image its name,
//                         label, offset, size and CRC32
//   train.bin, test.bin   the pixels: planes of red, green and blue, image after image
//   SHA256SUMS            the hash of index.json
//
// The original image files are no longer needed. The images are identical to those of ImageFiles,
// so results are bit-identical with and without preparation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lethe/data/data_file.h"
#include "lethe/data/options.h"

namespace lethe {

// The entry of one image in index.json.
struct PreparedImage {
  std::string name;  // path of the file, relative to root
  int64_t label = -1;
  int64_t offset = 0;  // in train.bin or test.bin
  int64_t height = 0;
  int64_t width = 0;
  uint32_t crc32 = 0;  // checksum of the pixels
};

struct PreparedIndex {
  DataOptions options;  // the options it was made with; options.prepared is its folder
  std::vector<std::string> class_names;
  std::vector<std::string> skipped;  // names of images that could not be decoded
  std::vector<PreparedImage> train;
  std::vector<PreparedImage> test;
};

// The path of a folder in normal form: absolute, without "..", without a trailing slash.
std::string normal_folder(const std::filesystem::path& folder);

inline constexpr const char* kPreparedIndex = "index.json";

// The contents of index.json.
std::string to_json(const PreparedIndex& index);

// Throws DataError if the folder contains no prepared dataset, or if the index or the size of a
// file has changed.
PreparedIndex read_prepared_index(const std::filesystem::path& folder);

// The splits of options.prepared, memory-mapped. The CRC32 of each image is checked when the image
// is read. Throws ConfigError, naming both values, if the dataset was prepared with other options.
DataSplits open_prepared(const DataOptions& options);

// The files of a prepared dataset, whether they exist or not.
std::vector<DataFile> prepared_files(const std::filesystem::path& folder);

}  // namespace lethe
