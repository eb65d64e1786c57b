// The exceptions of lethe. A message is one line: the problem, where it is, the expected value and
// what to do. Only main catches them. It prints the message and exits with the status of the type.
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

// A data or model file cannot be read or has invalid content: exit status 3.
class DataError : public Error {
 public:
  using Error::Error;
};

// A signal asked the run to stop; it can be resumed: exit status 1.
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
