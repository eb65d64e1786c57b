// `lethe data check`: reads a whole dataset and summarises it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

struct DataCheckOptions {
  std::string config_or_path;        // see data_source.h
  std::vector<std::string> sets;     // KEY=VALUE
  std::filesystem::path sheet = {};  // contact sheet to write (PNG); empty = none
};

// Decodes every image and every mask. A mask must have the same size as its image. Compares every
// image of a prepared dataset with its checksum. Throws DataError if the data are wrong or a task
// of the plan has no training image, ConfigError if the plan does not fit the data.
std::string check_data(const DataCheckOptions& options);

}  // namespace lethe
