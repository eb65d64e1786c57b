// An oracle is what an audited model is compared with: the stream and the settings of its run,
// trained without the classes that the audited version has forgotten. This file says how one is
// trained; oracle_cache.h keeps them, oracle_training.h trains them, oracle_model.h loads them.
//
// Classes are matched by name. A class that was forgotten and learned again later is only in the
// later task. Requests are not repeated: with nothing to forget, a request with images would only
// train on kept images once more. Segmentation: images are chosen by their remaining classes; if
// they show a forgotten class, its pixels are background (data.seg_setup = "overlapped").
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lethe/audit/options.h"
#include "lethe/record/training_cost.h"
#include "lethe/run/run_config.h"
#include "lethe/run/stream_history.h"

namespace lethe {

struct OracleSpec {
  std::string config;               // the configuration of its run, as TOML
  std::vector<AddedEvent> learned;  // the tasks of `lethe learn`, after those of the configuration
  int64_t tasks = 0;                // in the configuration
  int64_t event = 0;  // the event of the oracle that corresponds to the audited version
  std::string method;
  int64_t seed = 0;
  // A hash of everything that a result depends on: settings, images, weights. Not the method of the
  // audited run, unless it is the oracle's.
  std::string key;
  TrainingCost expected;  // up to `event`, on one thread: an estimate from what the run needed

  std::string name() const;  // "oracle 1000 (lwf*)"
};

// The classes that a version of a run has forgotten: those of all requests up to it. Class ids of
// the run.
ClassSet forgotten_in(const TaskPlan& plan, int64_t version);

// The plan of a run, also of one that is not finished. Reads no data. history: of its ledger.
TaskPlan plan_of_run(RunConfig& config, const StreamHistory& history);

// The oracles for a version of a run, with different seeds, none of them that of the run. Reads the
// data of the run and of its `lethe learn` commands. Throws ConfigError or DataError.
std::vector<OracleSpec> oracle_specs(const std::filesystem::path& run, int64_t version,
                                     const AuditOptions& options);

}  // namespace lethe
