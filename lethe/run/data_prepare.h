// `lethe data prepare`: decodes, resizes and stores a dataset of image files once (data/prepare.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

struct DataPrepareOptions {
  std::string config_or_path;      // see data_source.h
  std::vector<std::string> sets;   // KEY=VALUE
  std::filesystem::path out = {};  // empty = data.prepared of the configuration
};

// Returns a text that lists the contents of the output folder and explains how to use it. Throws
// like prepare_images.
std::string prepare_data(const DataPrepareOptions& options);

}  // namespace lethe
