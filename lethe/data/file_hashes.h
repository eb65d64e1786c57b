// Sizes, modification times and hashes of data files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lethe {

struct FileStamp {
  int64_t bytes = 0;
  int64_t modified_ns = 0;  // modification time in nanoseconds since 1970

  bool operator==(const FileStamp&) const = default;
};

// std::nullopt if there is no such file.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

// The SHA-256 of every file, computed on `threads` threads, with a progress line if it takes long.
// Throws DataError for a file that cannot be read, Interrupted if a signal asks to stop.
std::vector<std::string> hashes_of(const std::vector<std::filesystem::path>& paths, int threads);

}  // namespace lethe
