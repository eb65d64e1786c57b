// A temporary folder for one test, removed at the end.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>

namespace lethe::test {

// A path that is not used anywhere else, in this process or another.
inline std::filesystem::path unique_path(const std::string& kind) {
  static std::atomic<int> number{0};
  return std::filesystem::temp_directory_path() /
         ("lethe_" + kind + '_' + std::to_string(::getpid()) + '_' + std::to_string(++number));
}

class Scratch {
 public:
  Scratch() : path_(unique_path("scratch")) { std::filesystem::create_directories(path_); }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace lethe::test
