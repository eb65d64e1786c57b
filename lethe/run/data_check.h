// `lethe data check`: reads a data set whole and says what is in it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

struct DataCheckOptions {
  std::string config_or_path;        // as in data_source.h
  std::vector<std::string> sets;     // KEY=VALUE
  std::filesystem::path sheet = {};  // where the contact sheet goes (PNG); empty = none
};

// Decodes every image, and every mask, which must have the size of its image; or compares every
// image of a prepared set with its sum. Throws DataError if
// something is wrong with the data, ConfigError if the plan does not fit it.
std::string check_data(const DataCheckOptions& options);

}  // namespace lethe
