// The one family of errors. Messages are one line: what was wrong, where, what was expected, what
// to do. Only main catches; it prints the line and ends with the exit status of the kind (design:
// 1, 2, 3, 4).
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace lethe {

// The run failed: exit status 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The user can fix it on the command line or in the configuration: exit status 2.
class ConfigError : public Error {
 public:
  using Error::Error;
};

// A data or model file cannot be read or is not what it should be: exit status 3.
class DataError : public Error {
 public:
  using Error::Error;
};

// The run was asked to stop by a signal and can be resumed: exit status 1.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// throw_error<ConfigError>("unknown method '{}'", name)
template <typename E, typename... Args>
[[noreturn]] void throw_error(fmt::format_string<Args...> format, Args&&... args) {
  throw E(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace lethe
