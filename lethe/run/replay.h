// Carries out an event a second time, from the version before it, and compares the result. Equal
// bits show that the event did what the ledger says and nothing else.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lethe/record/ledger_keeper.h"
#include "lethe/run/stream_history.h"
#include "lethe/trainer/trainer.h"

namespace lethe {

struct ReplayOptions {
  std::filesystem::path run;
  StreamHistory history;  // up to the event
  int64_t event = 0;
  int threads = 1;
  // The decision at the end of the event.
  std::function<Closing(const TaskDone&, const LedgerKeeper&, const ScoreTable&)> close;
};

// The contents of SHA256SUMS of the repeated version. Needs the version before the event and the
// data of the event. Leaves no files.
std::string replay_sums(const ReplayOptions& options);

// The answer for one event.
struct Replayed {
  enum class Answer {
    kSame,           // the same bits
    kDifferent,      // other bits
    kNotRepeatable,  // the version before is gone
    kNotComparable,  // another CPU, LibTorch or number of threads; other images; random codes
  };
  int64_t event = 0;
  Answer answer = Answer::kSame;
  std::string text;  // one line
};

// Repeats each event of a run if the version before it still exists.
std::vector<Replayed> replay_run(const std::filesystem::path& run, int threads);

}  // namespace lethe
