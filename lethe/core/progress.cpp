#include "lethe/core/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "lethe/core/log.h"

namespace lethe {

std::string duration_text(double seconds) {
  const auto total = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  const int64_t hours = total / 3600;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

double seconds_left(double elapsed, double done, double total) {
  if (done <= 0 || total <= 0) return -1;
  return elapsed * std::max(0.0, total - done) / done;
}

ProgressOptions ProgressLine::for_stderr() {
  ProgressOptions options;
  options.enabled = log_level() <= LogLevel::kInfo;
  options.terminal = ::isatty(STDERR_FILENO) == 1;
  winsize size{};
  if (options.terminal && ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) {
    options.width = size.ws_col;
  }
  return options;
}

ProgressLine::ProgressLine(const ProgressOptions& options) : options_(options) {
  set_log_frame([this](bool before) {
    const std::lock_guard lock(mutex_);
    if (before) {
      erase();
    } else if (!text_.empty()) {
      draw();
    }
  });
}

ProgressLine::~ProgressLine() {
  set_log_frame({});
  const std::lock_guard lock(mutex_);
  erase();
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  erase();
  text_.clear();
}

void ProgressLine::show(const std::string& text, bool force) {
  if (!options_.enabled) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const double pause = options_.terminal ? options_.redraw_seconds : options_.line_seconds;
  if (!force && !first_ && std::chrono::duration<double>(now - last_).count() < pause) return;
  first_ = false;
  last_ = now;
  if (options_.terminal) {
    text_ = text;
    draw();
  } else {
    std::fputs((text + '\n').c_str(), options_.stream);
    std::fflush(options_.stream);
  }
}

void ProgressLine::draw() {
  if (!options_.terminal) return;
  // One column is left free: a full line would wrap on some terminals.
  const std::string cut = text_.substr(0, static_cast<size_t>(options_.width - 1));
  std::fputs(("\r\033[K" + cut).c_str(), options_.stream);
  std::fflush(options_.stream);
  drawn_ = true;
}

void ProgressLine::erase() {
  if (!drawn_) return;
  std::fputs("\r\033[K", options_.stream);
  std::fflush(options_.stream);
  drawn_ = false;
}

}  // namespace lethe
