// A configured experiment: data, plan, network and method made from a configuration, ready for a
// trainer.
#pragma once

#include <memory>

#include "lethe/data/dataset.h"
#include "lethe/method/method.h"
#include "lethe/model/network.h"
#include "lethe/run/run_config.h"
#include "lethe/stream/task_plan.h"
#include "lethe/trainer/trainer.h"

namespace lethe {

struct Experiment {
  DataSplits data;
  std::unique_ptr<TaskPlan> plan;
  std::shared_ptr<Network> network;
  std::unique_ptr<Method> method;

  DatasetPtr eval;  // the split that eval.split names
};

// Reads the data and replaces every "auto" of the configuration by what it means for them.
DataSplits load_and_resolve(RunConfig& config);

// Reads the data, resolves the configuration, makes the rest. Throws ConfigError or DataError;
// touches no file.
Experiment make_experiment(RunConfig& config);

// The parts for a trainer that works in run (empty = without checkpoints).
TrainerParts trainer_parts(const Experiment& experiment, const RunConfig& config,
                           const std::filesystem::path& run);

}  // namespace lethe
