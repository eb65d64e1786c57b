// One file of a dataset: an image, a mask, a list or a file of many images. data_files.h lists all
// files of a dataset.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

// The splits that a file is read for.
inline constexpr const char* kTrainSplit = "train";
inline constexpr const char* kTestSplit = "test";
inline constexpr const char* kBothSplits = "both";

struct DataFile {
  // Identifies the file: its path relative to the root, '/'-separated. A file outside the root has
  // its absolute path. data_files() sets it.
  std::string name = {};
  std::filesystem::path path = {};
  std::string split = {};                 // kTrainSplit, kTestSplit or kBothSplits
  std::vector<std::string> classes = {};  // ascending; empty = all classes, or unknown
};

// The split of a file that is read for both a and b.
std::string merged_split(const std::string& a, const std::string& b);

// The classes of a file with the classes of both a and b, ascending.
std::vector<std::string> merged_classes(std::vector<std::string> a,
                                        const std::vector<std::string>& b);

}  // namespace lethe
