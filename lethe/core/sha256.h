// SHA-256 hashes in lower-case hex, computed by OpenSSL.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace lethe {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(const void* data, size_t bytes);
  std::string hex();  // finishes the hash: call it only once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::string_view text);

// Throws DataError if the file cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace lethe
