// A finished run that an event is added to: its ledger, its stream and what was erased so far.
#pragma once

#include <filesystem>
#include <memory>

#include "lethe/core/class_set.h"
#include "lethe/record/ledger.h"
#include "lethe/run/run_config.h"
#include "lethe/run/stream_history.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// Reads no data.
struct FinishedRun {
  // Adds the events of later commands to config. Throws ConfigError if the run is not finished.
  FinishedRun(const std::filesystem::path& path, RunConfig& config);

  Ledger ledger;
  StreamHistory history;
  std::unique_ptr<TaskPlan> plan;
  ClassSet erased;
};

// Returns the record (metrics and tables) to its state at the end of the last complete event.
void rewind(const std::filesystem::path& path, const RunConfig& config, const FinishedRun& run);

}  // namespace lethe
