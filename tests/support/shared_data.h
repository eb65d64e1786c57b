// Real data for optional tests, kept outside the repository. Tests that need it are skipped without
// it.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace lethe {

// The folder in the environment variable LETHE_SHARED_DATA; the default is ../shared/data, relative
// to the sources. It may not exist.
inline std::filesystem::path shared_data() {
  const char* root = std::getenv("LETHE_SHARED_DATA");
  return root ? std::filesystem::path(root)
              : std::filesystem::path(LETHE_SOURCE_DIR) / "../shared/data";
}

}  // namespace lethe
