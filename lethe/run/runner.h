// `lethe run` as a function: from a configuration to a finished run directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lethe/record/outcome.h"
#include "lethe/run/identity.h"
#include "lethe/run/run_config.h"

namespace lethe {

struct RunOptions {
  std::string config;             // file or preset
  std::vector<std::string> sets;  // KEY=VALUE
  std::filesystem::path out;      // the run directory
  bool resume = false;
  int threads = 1;              // as set_up_threads() gave it
  std::filesystem::path cache;  // of first tasks; empty = none
  bool identify = false;        // hash data and weights for the result
};

struct RunResult {
  RunIdentity identity;  // empty unless asked for
  RunOutcome outcome;
  std::string summary;        // for people
  bool was_finished = false;  // nothing was left to do
  bool was_resumed = false;   // some of it was there before
};

// Throws ConfigError, DataError, Interrupted (with how to go on), Error. A start that fails leaves
// nothing behind; a run that fails later leaves its folder, in which a new start is allowed as long
// as it has no checkpoint.
RunResult run(const RunOptions& options);

// What run() would be the result of. Reads the data, touches no file.
RunIdentity identify(const RunOptions& options);

// What run() would do: plan, sizes, and an estimate of time and disk from a few steps on random
// images.
std::string dry_run(const RunOptions& options);

// Reads the configuration of a run directory. Throws DataError if it is none.
void read_run_config(RunConfig& config, const std::filesystem::path& run);

}  // namespace lethe
