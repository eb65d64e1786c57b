// Trains the oracles that the cache does not have, side by side, one thread each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lethe/audit/oracle_spec.h"
#include "lethe/core/child_process.h"
#include "lethe/record/training_cost.h"

namespace lethe {

struct TrainedOracle {
  std::string name;
  std::filesystem::path run;  // an ordinary run directory
  int64_t event = 0;          // its version that corresponds to the audited one
  std::string model;          // SHA-256 of this version's model
  TrainingCost cost;          // up to this version, also if it was trained earlier
  bool was_cached = false;    // nothing was trained now
};

struct OracleJobs {
  std::filesystem::path cache;         // empty = default_oracle_cache()
  int side_by_side = 1;                // processes at the same time, at least 1
  std::string program = kThisProgram;  // must have the command `oracle`
};

// Says how long it will take, then trains what is missing and returns the oracles in the given
// order. An oracle that another process trains is waited for. A signal stops all processes after
// they wrote a checkpoint: throws Interrupted, and the next call goes on from there. Throws
// ConfigError, DataError or Error with the message of a process that failed.
std::vector<TrainedOracle> train_oracles(const std::vector<OracleSpec>& specs,
                                         const OracleJobs& jobs);

// Trains what is left in an entry of the cache, in this process: `lethe oracle`.
void train_oracle(const std::filesystem::path& entry);

}  // namespace lethe
