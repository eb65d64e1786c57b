// Trains the stream of a run again from the beginning, without the classes that it has forgotten:
// `lethe forget --exact`. The tasks, settings and the seed are those of the run; the images come
// with the request. The forgotten classes keep their numbers: they have outputs, which are erased
// before any training, so that every state of network and method fits the run.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "lethe/core/class_set.h"
#include "lethe/record/ledger.h"
#include "lethe/record/training_cost.h"
#include "lethe/run/experiment.h"
#include "lethe/run/run_config.h"
#include "lethe/run/stream_history.h"
#include "lethe/trainer/trainer.h"

namespace lethe {

struct RetrainOptions {
  std::filesystem::path run;     // whose configuration is used
  std::filesystem::path folder;  // of this training, which continues if it was interrupted
  const StreamHistory& history;  // the last event is the request
  const Experiment& images;      // event_images: those of the request
  int threads = 1;
};

struct RetrainedRun {
  Retrained model;
  TrainingCost cost;
  int64_t tasks = 0;
};

// The plan of the training: the tasks of the run without the classes of all requests so far.
// config: of the run.
std::unique_ptr<TaskPlan> retraining_plan(const RunConfig& config, const StreamHistory& history,
                                          const DatasetInfo& info);

// Throws a ConfigError that names the classes of the plan without any training image.
void require_images_of_all(const TaskPlan& plan, const Dataset& images, const std::string& source);

// Throws Interrupted, or Error if a loss is not finite. Calling it again continues the training. At
// the end the folder has the finished training; the caller removes it.
RetrainedRun retrain(const RetrainOptions& options);

// The time and the images that the training will need, from what the run needed.
TrainingCost expected_cost(const TaskPlan& retraining, const Dataset& images, const TaskPlan& plan,
                           const std::filesystem::path& run, const Ledger& ledger);

// The key of a ledger line, and its value.
inline constexpr const char* kRetrainedKey = "retrained";
nlohmann::ordered_json to_json(const RetrainedRun& retrained, const RunConfig& config);

}  // namespace lethe
