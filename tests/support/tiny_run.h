// A small finished run on synthetic images, made in this process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lethe/run/runner.h"

namespace lethe::test {

// The settings of a run of a second: eight classes in two tasks, 96 training images.
inline std::vector<std::string> tiny_settings(const std::vector<std::string>& more = {}) {
  std::vector<std::string> sets = {
      "data.train_per_class=12", "data.test_per_class=4", "data.size=16",
      "model.width=8",           "train.batch=8",         "train.epochs=1",
      "forget.margin=0.99",      "forget.kept_fall=1",    "forget.mean_fall=1"};
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

inline void make_tiny_run(const std::filesystem::path& out,
                          const std::vector<std::string>& more = {}) {
  RunOptions options;
  options.config = "smoke";
  options.sets = tiny_settings(more);
  options.out = out;
  lethe::run(options);
}

}  // namespace lethe::test
