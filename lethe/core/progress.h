// One line that says how far long work is: redrawn in place on a terminal, a plain line now and
// then elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>

namespace lethe {

// "1:05", "12:40", "3:02:10"
std::string duration_text(double seconds);

// How long the rest takes if it goes on as so far. Nothing is known before some of it is done: -1.
double seconds_left(double elapsed, double done, double total);

struct ProgressOptions {
  std::FILE* stream = stderr;
  bool enabled = true;
  bool terminal = false;        // redraw in place (decided by the caller: isatty)
  int width = 100;              // columns of the terminal
  double redraw_seconds = 0.1;  // on a terminal
  double line_seconds = 10.0;   // elsewhere
};

// Thread-safe. Registers itself as the frame of the log while it lives, so that messages and the
// line do not mix.
class ProgressLine {
 public:
  explicit ProgressLine(const ProgressOptions& options);
  ~ProgressLine();  // takes the line away
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Options for stderr as it is: terminal or not, its width; disabled if the log says no more than
  // warnings.
  static ProgressOptions for_stderr();

  // Shows text if enough time has passed since the last one, or at once if force.
  void show(const std::string& text, bool force = false);

  // Takes the line away until the next show().
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
