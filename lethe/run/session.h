// A session trains events in a run directory: the trainer with the listeners that record, watch and
// show its work. `lethe run`, `lethe forget` and `lethe learn` use it.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "lethe/record/ledger_keeper.h"
#include "lethe/record/recorder.h"
#include "lethe/record/watcher.h"
#include "lethe/run/experiment.h"
#include "lethe/run/progress_listener.h"
#include "lethe/trainer/trainer.h"

namespace lethe {

class Session {
 public:
  // Opens the record of a run. more (copied): listeners that are notified last. extra: keys for the
  // ledger lines of this session. retrained: for a request with --exact, else null. All other
  // references must outlive the session.
  Session(const RunConfig& config, const Experiment& experiment, const std::filesystem::path& run,
          int threads, const std::vector<Listener*>& more,
          nlohmann::ordered_json extra = nlohmann::ordered_json::object(),
          const Retrained* retrained = nullptr);

  // Decides at the end of each event. Not set = nothing is erased.
  std::function<Closing(const TaskDone&)> close;

  bool resume() { return trainer_.resume(); }
  // Runs the events that are left, with a progress line.
  // most: the largest number of events to run.
  void run(int64_t most = INT64_MAX);

  Trainer& trainer() { return trainer_; }
  Recorder& recorder() { return recorder_; }
  LedgerKeeper& keeper() { return keeper_; }

 private:
  TrainerParts parts(const Experiment& experiment, const RunConfig& config,
                     const std::filesystem::path& run, const Retrained* retrained);

  const RunConfig& config_;
  const TaskPlan& plan_;
  Recorder recorder_;
  LedgerKeeper keeper_;
  Watcher watcher_;
  Trainer trainer_;
  std::optional<ProgressListener> progress_;
};

}  // namespace lethe
