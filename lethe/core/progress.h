// A progress line: redrawn in place on a terminal; otherwise printed as a plain line from time to
// time.
#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>

namespace lethe {

// "45s", "1m05s", "3h02m"
std::string duration_text(double seconds);

// Estimated remaining time, assuming the current speed; -1 if nothing is done yet.
double seconds_left(double elapsed, double done, double total);

// Width of the terminal on stderr in columns; if unknown, the environment variable COLUMNS;
// otherwise 80.
int terminal_width();

// The text truncated to at most `columns` columns; truncated text ends in "...".
std::string cut_to(const std::string& text, int columns);

struct ProgressOptions {
  std::FILE* stream = stderr;
  bool enabled = true;
  bool terminal = false;        // redraw in place
  int width = 0;                // columns; 0 = terminal_width() at every redraw
  double redraw_seconds = 0.1;  // shortest time between two redraws on a terminal
  double line_seconds = 10.0;   // shortest time between two plain lines
};

// Thread-safe. While it exists, it coordinates with the logger so that log messages and the
// progress line do not overwrite each other.
class ProgressLine {
 public:
  explicit ProgressLine(const ProgressOptions& options);
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Options detected from stderr (a terminal or not); disabled if the log level is warning or
  // higher. TERM=dumb is treated as not a terminal.
  static ProgressOptions for_stderr();

  // Shows text if enough time has passed since the last show(), or immediately if force is true. A
  // terminal shows only as much of it as fits, so put the important parts first.
  void show(const std::string& text, bool force = false);

  // Clears the line until the next show().
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void draw();
  void erase();

  ProgressOptions options_;
  std::mutex mutex_;
  std::string text_;
  bool drawn_ = false;
  Clock::time_point last_;
  bool first_ = true;
};

}  // namespace lethe
