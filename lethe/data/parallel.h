// Parallel work on many files before training: checking, preparing and hashing a dataset.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "lethe/core/progress.h"

namespace lethe {

// Calls work(i) for every i from first to last - 1, on `threads` threads. Returns when all are
// done. If calls throw, the exception of the lowest i is rethrown, independent of the timing.
void parallel_for(int64_t first, int64_t last, int threads,
                  const std::function<void(int64_t)>& work);

// "checking images 1200/4199 | 9s left | 310 images/s", shown after the first second. Thread-safe.
class ImageProgress {
 public:
  ImageProgress(std::string what, int64_t total, std::string unit = "images");
  void add();  // counts one more image, or one more of the unit

 private:
  std::string what_;
  std::string unit_;
  int64_t total_;
  ProgressLine line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  int64_t done_ = 0;
};

}  // namespace lethe
