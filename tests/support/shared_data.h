// Real data for optional tests. The environment variable LETHE_DATA names its folder, in the layout
// that `lethe suite --data` expects. Tests that need it are skipped if the variable is not set.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace lethe {

// A file or folder in LETHE_DATA; an empty path if it is not there or the variable is not set.
inline std::filesystem::path shared_data(const std::string& name) {
  const char* root = std::getenv("LETHE_DATA");
  if (root == nullptr || *root == '\0') return {};
  const auto path = std::filesystem::path(root) / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

// The message of a skipped test.
inline std::string no_shared_data(const std::string& name) {
  const char* root = std::getenv("LETHE_DATA");
  if (root == nullptr || *root == '\0')
    return "LETHE_DATA is not set: name a folder that contains " + name;
  return "LETHE_DATA=" + std::string(root) + ": does not contain " + name;
}

}  // namespace lethe
