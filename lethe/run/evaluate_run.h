// `lethe eval`: re-evaluates a version of a run and compares the result with the recorded
// evaluation.
#pragma once

#include <filesystem>
#include <string>

#include "lethe/metrics/scores.h"

namespace lethe {

struct EvalResult {
  int64_t task = 0;
  Scores scores;
  std::string text;  // for the terminal
  bool same = true;  // all counts equal the recorded counts
};

// task 0 = the last finished task. Throws DataError if the run has no such version or the
// version is damaged.
EvalResult evaluate_run(const std::filesystem::path& run, int64_t task);

}  // namespace lethe
