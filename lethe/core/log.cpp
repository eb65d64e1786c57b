#include "lethe/core/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <mutex>

#include "lethe/core/text.h"

namespace lethe {

namespace {

// https://no-color.org: any value but the empty one switches colours off.
bool is_colour_refused() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

struct Log {
  std::shared_ptr<spdlog::logger> logger = [] {
    // "automatic" colours only a terminal.
    auto made = std::make_shared<spdlog::logger>(
        "lethe",
        std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
            is_colour_refused() ? spdlog::color_mode::never : spdlog::color_mode::automatic));
    made->set_pattern("%^%v%$");
    made->set_level(spdlog::level::trace);
    return made;
  }();
  std::mutex mutex;
  LogLevel level = LogLevel::kInfo;
  std::function<void(bool)> frame;
};

Log& the_log() {
  static Log log;  // one process, one stderr
  return log;
}

}  // namespace

void set_log_level(LogLevel level) {
  const std::lock_guard lock(the_log().mutex);
  the_log().level = level;
}

LogLevel log_level() {
  const std::lock_guard lock(the_log().mutex);
  return the_log().level;
}

void set_log_frame(std::function<void(bool)> frame) {
  const std::lock_guard lock(the_log().mutex);
  the_log().frame = std::move(frame);
}

void log_message(LogLevel level, std::string_view text) {
  const auto message = visible(text);
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (level < log.level || level == LogLevel::kOff) return;
  if (log.frame) log.frame(true);
  switch (level) {
    case LogLevel::kDebug:
      log.logger->debug("{}", message);
      break;
    case LogLevel::kInfo:
      log.logger->log(spdlog::level::info, "{}", message);
      break;
    case LogLevel::kWarning:
      log.logger->warn("warning: {}", message);
      break;
    default:
      log.logger->error("error: {}", message);
      break;
  }
  log.logger->flush();
  if (log.frame) log.frame(false);
}

void log_lines(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    log_message(LogLevel::kInfo, text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace lethe
