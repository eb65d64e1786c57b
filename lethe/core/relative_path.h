// Paths that a file of a run directory names, relative to it.
#pragma once

#include <filesystem>

namespace lethe {

// Whether the path names something below the folder that it is relative to: not the folder itself,
// not an absolute path, and it does not leave the folder by "..".
inline bool stays_below(const std::filesystem::path& relative) {
  const auto path = relative.lexically_normal();
  return path.is_relative() && !path.empty() && path != "." && *path.begin() != "..";
}

}  // namespace lethe
