// An experiment: data, task plan, network and method built from a configuration, ready for a
// trainer.
#pragma once

#include <memory>

#include "lethe/data/dataset.h"
#include "lethe/method/method.h"
#include "lethe/model/network.h"
#include "lethe/run/run_config.h"
#include "lethe/run/stream_history.h"
#include "lethe/stream/task_plan.h"
#include "lethe/trainer/trainer.h"

namespace lethe {

struct Experiment {
  DataSplits data;
  std::unique_ptr<TaskPlan> plan;
  std::shared_ptr<Network> network;
  std::unique_ptr<Method> method;

  DatasetPtr eval;  // the images selected by eval.split, and test images of classes learned later
  // Images for the last event of the stream if a command added it. Null = none.
  DatasetPtr event_images;
  // If that event forgets: images of classes that the run does not know. Null = none.
  DatasetPtr unlabelled = nullptr;
};

// Reads the data and replaces every "auto" in the configuration with the value for this dataset.
// class_names: the classes and their labels; empty = as the dataset has them.
DataSplits load_and_resolve(RunConfig& config, const std::vector<std::string>& class_names = {});

// The checks of make_experiment() that need neither images nor a network: device, values of "auto",
// task plan, method options, and whether the file of pretrained weights exists. info and images
// (the number of training images) describe the dataset. Resolves the configuration. Throws like
// make_experiment().
void check_experiment(RunConfig& config, const DatasetInfo& info, int64_t images);

// Reads the data, resolves the configuration and builds the rest. history: of an existing run.
// Throws ConfigError or DataError. Writes no file.
Experiment make_experiment(RunConfig& config, const StreamHistory& history = {});

// The network of a resolved configuration before its first task, with pretrained weights if there
// are any, and its method.
void make_learner(Experiment& experiment, const RunConfig& config);

// The components for a trainer that writes to the run directory `run` (empty = no checkpoints).
TrainerParts trainer_parts(const Experiment& experiment, const RunConfig& config,
                           const std::filesystem::path& run);

}  // namespace lethe
