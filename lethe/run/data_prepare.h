// `lethe data prepare`: decodes, scales and stores a set of image files once (data/prepare.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

struct DataPrepareOptions {
  std::string config_or_path;      // as in data_source.h
  std::vector<std::string> sets;   // KEY=VALUE
  std::filesystem::path out = {};  // empty = data.prepared of the configuration
};

// Returns what was written and how to use it. Throws as prepare_images.
std::string prepare_data(const DataPrepareOptions& options);

}  // namespace lethe
