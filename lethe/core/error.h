// The error classes. A message is one line: what is wrong, where, what was expected, what to do.
// If nothing else catches an error, main prints the line and returns the exit status of the class.
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

// A mistake that the user can fix on the command line or in the configuration: exit status 2.
class ConfigError : public Error {
 public:
  using Error::Error;
};

// A data or model file cannot be read or has the wrong content: exit status 3.
class DataError : public Error {
 public:
  using Error::Error;
};

// A signal asked the program to stop: exit status 128 + signal (130 after Ctrl-C, 143 after
// SIGTERM). An interrupted run can be resumed.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// Example: throw_error<ConfigError>("unknown method '{}'", name)
template <typename E, typename... Args>
[[noreturn]] void throw_error(fmt::format_string<Args...> format, Args&&... args) {
  throw E(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace lethe
