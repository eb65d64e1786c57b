// `lethe data check`: reads a whole dataset and describes its contents.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

struct DataCheckOptions {
  std::string config_or_path;        // see data_source.h
  std::vector<std::string> sets;     // KEY=VALUE
  std::filesystem::path sheet = {};  // file of the contact sheet (PNG); empty = none
};

// Decodes every image and every mask, which must have the same size. In a prepared dataset,
// compares every image with its checksum instead. Throws DataError if the data are invalid,
// ConfigError if the task plan does not match them.
std::string check_data(const DataCheckOptions& options);

}  // namespace lethe
