// `lethe run` as a function: turns a configuration into a finished run directory.
#pragma once

#include <cstdint>
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
  int threads = 1;              // as returned by set_up_threads()
  std::filesystem::path cache;  // cache of first tasks; empty = none
  // Erasing a class of the first task leaves the entry of the cache, because the runs of a suite
  // share it.
  bool cache_stays = false;
  bool resume_advice = true;  // an Interrupted says how to resume; a suite has its own advice
  bool identify = false;      // compute RunResult::identity (hashes data and weights)
  // Stop when this event is complete; a later run() with resume goes on.
  int64_t last_event = INT64_MAX;
};

struct RunResult {
  RunIdentity identity;  // empty unless options.identify or options.cache is set
  RunOutcome outcome;
  std::string summary;                          // for the terminal; empty if not finished
  bool was_finished = false;                    // the run was already complete
  bool was_resumed = false;                     // part of the run existed before
  bool is_finished = true;                      // false: stopped at RunOptions::last_event
  std::vector<std::string> not_forgotten = {};  // last verdict: not forgotten, no effect
};

// Throws ConfigError, DataError, Error, or Interrupted with the command to continue. A start that
// fails leaves no files. If a run fails later, its folder is kept; a new run can be started in it
// as long as it contains no checkpoint.
RunResult run(const RunOptions& options);

// The identity that run() would record. Reads the data, trains nothing, writes no file.
RunIdentity identify(const RunOptions& options);

// Describes the run without running it: learning settings, task plan, sizes, and an estimate of
// time and disk space from a few steps on random images.
std::string dry_run(const RunOptions& options);

// Reads the configuration of a run directory. Throws DataError if it is not a run directory.
void read_run_config(RunConfig& config, const std::filesystem::path& run);

}  // namespace lethe
