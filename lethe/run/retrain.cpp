#include "lethe/run/retrain.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/short_list.h"
#include "lethe/record/recover.h"
#include "lethe/record/run_files.h"
#include "lethe/run/runner.h"
#include "lethe/run/session.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// The classes of all requests so far, carried out or not.
ClassSet forgotten_classes(const StreamOptions& stream, const StreamHistory& history,
                           const DatasetInfo& info) {
  auto all = stream;
  all.later.clear();
  for (const auto& added : history.added) all.later.push_back(added.event);
  return TaskPlan(all, info).tasks().back().forgotten;
}

std::vector<AddedEvent> learned_events(const StreamHistory& history) {
  std::vector<AddedEvent> learned;
  for (const auto& added : history.added) {
    if (added.event.kind == EventKind::kLearn) learned.push_back(added);
  }
  return learned;
}

// The stream of the run without its requests, up to some of the events that commands added.
StreamOptions retraining_stream(const StreamOptions& stream, const StreamHistory& history,
                                size_t added, const DatasetInfo& info) {
  auto own = stream;
  own.own_classes = static_cast<int64_t>(history.class_names.size());
  own.absent = forgotten_classes(own, history, info);
  own.absent_shown = history.added.back().event.forgotten_images;
  own.requests.clear();
  own.forget_fraction = 0;
  own.later.clear();
  const auto learned = learned_events(history);
  for (size_t i = 0; i < added; ++i) own.later.push_back(learned[i].event);
  return own;
}

// Whether a task is left among the first ones: all classes of the others were forgotten.
bool has_tasks(const StreamOptions& stream, const DatasetInfo& info) {
  auto whole = stream;
  whole.absent = {};
  const TaskPlan plan(whole, info);
  return std::any_of(plan.tasks().begin(), plan.tasks().end(),
                     [&](const Task& task) { return !(task.new_classes - stream.absent).empty(); });
}

// The configuration of a stage: the settings of the event that a command added, then those of the
// request.
void configure_stage(RunConfig& config, const RetrainOptions& options, size_t added) {
  read_run_config(config, options.run);
  ConfigText changes;
  const auto learned = learned_events(options.history);
  if (added > 0) {
    for (const auto& one : learned[added - 1].sets) changes.set(one);
  }
  for (const auto& one : options.history.added.back().sets) changes.set(one);
  changes.apply(config.fields());
  const auto& info = options.images.data.train->info();
  config.stream = retraining_stream(config.stream, options.history, added, info);
  config.keep = {.keep_versions = 1};
  config.eval.every = "task";
}

// Trains the tasks of the configuration (added = 0), or those and some that commands added.
void train_stage(const RetrainOptions& options, size_t added) {
  RunConfig config;
  configure_stage(config, options, added);
  const auto& info = options.images.data.train->info();
  if (!has_tasks(config.stream, info)) return;
  resolve(config, info, options.images.data.train->size());
  Experiment experiment;
  experiment.data = options.images.data;
  experiment.eval = options.images.eval;
  experiment.event_images = options.images.event_images;
  experiment.plan = std::make_unique<TaskPlan>(config.stream, info);
  const auto tasks = static_cast<int64_t>(experiment.plan->tasks().size());
  if (Ledger(options.folder).last_event() >= tasks) return;
  make_learner(experiment, config);
  Session session(config, experiment, options.folder, options.threads, {});
  if (!session.resume()) {
    session.recorder().start_afresh();
    session.keeper().start(info);
  }
  session.run();
}

std::vector<std::string> names_without_images(const TaskPlan& plan, const Dataset& images) {
  std::vector<std::string> names;
  for (const auto& task : plan.tasks()) {
    const auto ids = plan.train_labels(task);
    std::set<ClassId> seen;
    for (const auto sample : plan.train_samples(images, task)) {
      for (const auto label : images.labels_of(sample))
        seen.insert(ids.at(static_cast<size_t>(label)));
    }
    for (const ClassId id : task.new_classes) {
      if (!seen.contains(id)) names.push_back(plan.class_name(id));
    }
  }
  return names;
}

}  // namespace

std::unique_ptr<TaskPlan> retraining_plan(const RunConfig& config, const StreamHistory& history,
                                          const DatasetInfo& info) {
  const auto all = learned_events(history).size();
  return std::make_unique<TaskPlan>(retraining_stream(config.stream, history, all, info), info);
}

void require_images_of_all(const TaskPlan& plan, const Dataset& images, const std::string& source) {
  const auto names = names_without_images(plan, images);
  if (names.empty()) return;
  throw_error<ConfigError>(
      "--data: {} has no image of {}; --exact trains all kept classes again and needs images of "
      "each{}",
      source, short_list(names),
      plan.problem() == Problem::kMasks
          ? ". Images that show a forgotten class are left out, unless --use-forgotten-images"
          : "");
}

RetrainedRun retrain(const RetrainOptions& options) {
  fs::create_directories(options.folder);
  recover_run(options.folder);
  const auto stages = learned_events(options.history).size();
  for (size_t added = 0; added <= stages; ++added) train_stage(options, added);

  RetrainedRun made;
  const Ledger ledger(options.folder);
  made.tasks = ledger.last_event();
  made.cost = cost_until(training_costs(options.folder / kMetricsFile), made.tasks);
  for (const auto& line : ledger.lines()) {
    made.model.steps += line.value("steps", int64_t{0});
    made.model.images += line.value("images", int64_t{0});
  }
  auto checkpoint = read_checkpoint(version_of(options.folder, made.tasks));
  made.model.model = std::move(checkpoint.model);
  made.model.method = std::move(checkpoint.method);
  return made;
}

TrainingCost expected_cost(const TaskPlan& retraining, const Dataset& images, const TaskPlan& plan,
                           const fs::path& run, const Ledger& ledger) {
  const auto costs = training_costs(run / kMetricsFile);
  TrainingCost sum;
  for (const auto& task : retraining.tasks()) {
    const auto event = plan.task_of(task.new_classes.ids().front());
    const auto found = costs.find(event);
    const auto* line = ledger.line_of(event);
    if (found == costs.end() || line == nullptr) continue;
    sum += expected_cost(found->second, line->value("images", int64_t{0}),
                         static_cast<int64_t>(retraining.train_samples(images, task).size()));
  }
  return sum;
}

ordered_json to_json(const RetrainedRun& retrained, const RunConfig& config) {
  return {{"method", config.method},
          {"seed", config.train.seed},
          {"tasks", retrained.tasks},
          {"steps", retrained.model.steps},
          {"images", retrained.model.images},
          {"images_shown", retrained.cost.images},
          {"seconds", std::round(1000 * retrained.cost.seconds) / 1000}};
}

}  // namespace lethe
