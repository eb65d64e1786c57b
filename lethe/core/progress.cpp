#include "lethe/core/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "lethe/core/log.h"

namespace lethe {

std::string duration_text(double seconds) {
  const auto total = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  if (total < 60) return fmt::format("{}s", total);
  if (total < 3600) return fmt::format("{}m{:02}s", total / 60, total % 60);
  return fmt::format("{}h{:02}m", total / 3600, total / 60 % 60);
}

double seconds_left(double elapsed, double done, double total) {
  if (done <= 0 || total <= 0) return -1;
  return elapsed * std::max(0.0, total - done) / done;
}

int terminal_width() {
  constexpr int kLeast = 20;  // less than that is not a width but a mistake
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kLeast) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int given = columns == nullptr ? 0 : std::atoi(columns);
  return given >= kLeast ? given : 80;
}

std::string cut_to(const std::string& text, int columns) {
  const auto most = static_cast<size_t>(std::max(columns, 0));
  if (text.size() <= most) return text;
  constexpr std::string_view kCut = "...";
  if (most <= kCut.size()) return text.substr(0, most);
  size_t end = most - kCut.size();
  // Not inside a UTF-8 character. (Bytes are taken for columns: at worst the line is shorter.)
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + std::string(kCut);
}

ProgressOptions ProgressLine::for_stderr() {
  const char* term = std::getenv("TERM");
  const bool is_dumb = term != nullptr && std::string_view(term) == "dumb";
  ProgressOptions options;
  options.enabled = log_level() <= LogLevel::kInfo;
  options.terminal = ::isatty(STDERR_FILENO) == 1 && !is_dumb;
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
  const int width = options_.width > 0 ? options_.width : terminal_width();
  // One column stays free: a full line would wrap on some terminals.
  std::fputs(("\r\033[K" + cut_to(text_, width - 1)).c_str(), options_.stream);
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
