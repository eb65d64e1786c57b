// A log with levels on stderr, based on spdlog. Results go to stdout; all other output goes here.
//
//   log_info("threads: {}", threads);
//
// Messages are coloured on a terminal unless the environment variable NO_COLOR is set. A progress
// line is cleared before a message and drawn again after it. Thread-safe.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <utility>

namespace lethe {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

void set_log_level(LogLevel level);
LogLevel log_level();

// A message is one line: control characters in it, e.g. from the name of a class, become visible.
void log_message(LogLevel level, std::string_view text);
// A text of several lines, e.g. a table, as one info message per line.
void log_lines(std::string_view text);

// Sets a function that is called around every message: with true before it, with false after it.
// Only one function can be set; empty = none.
void set_log_frame(std::function<void(bool before)> frame);

template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kDebug, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace lethe
