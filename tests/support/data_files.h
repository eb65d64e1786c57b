// For tests: files with given bytes in a temporary folder, and the messages of errors and warnings.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "lethe/core/log.h"
#include "tests/support/scratch.h"
#include "tests/support/shared_data.h"

namespace lethe {

using Bytes = std::vector<uint8_t>;

class TestFolder {
 public:
  const std::filesystem::path& path() const { return scratch_.path(); }

  std::filesystem::path write(const std::string& name, const Bytes& bytes) const {
    const auto path = this->path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path;
  }

 private:
  test::Scratch scratch_;
};

// The message of the exception E that call throws. The test fails if nothing is thrown.
template <typename E, typename Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

// What call writes to stderr at this log level.
template <typename Call>
std::string messages_of(LogLevel level, Call&& call) {
  const LogLevel before = log_level();
  set_log_level(level);
  testing::internal::CaptureStderr();
  call();
  set_log_level(before);
  return testing::internal::GetCapturedStderr();
}

// The warnings that call writes to stderr.
template <typename Call>
std::string warnings_of(Call&& call) {
  return messages_of(LogLevel::kWarning, std::forward<Call>(call));
}

}  // namespace lethe
