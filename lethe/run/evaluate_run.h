// `lethe eval`: evaluates a checkpoint of a run again and compares with what training recorded.
#pragma once

#include <filesystem>
#include <string>

#include "lethe/metrics/scores.h"

namespace lethe {

struct EvalResult {
  int64_t task = 0;
  Scores scores;
  std::string text;  // for people
  bool same = true;  // every count equals the recorded one
};

// task 0 = the last finished one. Throws DataError if the run has no such checkpoint or it is
// damaged.
EvalResult evaluate_run(const std::filesystem::path& run, int64_t task);

}  // namespace lethe
