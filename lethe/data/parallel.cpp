#include "lethe/data/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

namespace lethe {

namespace {

// Hands out numbers in order until one fails. All lower numbers have been handed out by then.
class Claims {
 public:
  Claims(int64_t first, int64_t last) : next_(first), last_(last) {}

  bool claim(int64_t& number) {
    const std::lock_guard lock(mutex_);
    if (next_ >= last_ || error_) return false;
    number = next_++;
    return true;
  }

  void fail(int64_t number, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (error_ && failed_ < number) return;
    failed_ = number;
    error_ = std::move(error);
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  int64_t next_;
  int64_t last_;
  int64_t failed_ = 0;
  std::exception_ptr error_;
};

}  // namespace

void parallel_for(int64_t first, int64_t last, int threads,
                  const std::function<void(int64_t)>& work) {
  Claims claims(first, last);
  const auto run = [&] {
    for (int64_t number = 0; claims.claim(number);) {
      try {
        work(number);
      } catch (...) {
        claims.fail(number, std::current_exception());
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (int64_t i = 1; i < std::min<int64_t>(threads, last - first); ++i) others.emplace_back(run);
    run();
  }  // joins
  claims.rethrow();
}

ImageProgress::ImageProgress(std::string what, int64_t total, std::string unit)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      line_(ProgressLine::for_stderr()) {}

void ImageProgress::add() {
  const std::lock_guard lock(mutex_);
  ++done_;
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (seconds < 1) return;  // a small dataset needs no progress line
  const auto done = static_cast<double>(done_);
  const auto left = duration_text(seconds_left(seconds, done, static_cast<double>(total_)));
  line_.show(fmt::format("{} {}/{} | {} left | {:.0f} {}/s", what_, done_, total_, left,
                         done / seconds, unit_));
}

}  // namespace lethe
