#include "lethe/audit/oracle_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/sha256.h"
#include "lethe/data/fingerprint.h"
#include "lethe/data/load_data.h"
#include "lethe/data/relabelled.h"
#include "lethe/record/run_files.h"
#include "lethe/run/experiment.h"
#include "lethe/run/identity.h"
#include "lethe/run/runner.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kFirstSeed = 1000;

// The event of the configuration or the command behind an event of the plan; null = configuration.
const AddedEvent* added_event(const StreamHistory& history, const TaskPlan& plan, int64_t event) {
  const auto own = static_cast<int64_t>(plan.tasks().size() - history.added.size());
  return event > own ? &history.added.at(static_cast<size_t>(event - own - 1)) : nullptr;
}

std::vector<std::string> names_of(const TaskPlan& plan, const ClassSet& classes) {
  std::vector<std::string> names;
  for (const ClassId id : classes) names.push_back(plan.class_name(id));
  return names;
}

// The changes of a `lethe learn` that act on an oracle.
std::vector<std::string> acting_sets(const std::vector<std::string>& sets, bool same_method) {
  std::vector<std::string> acting;
  for (const auto& one : sets) {
    if (one.starts_with("train.") || (same_method && one.starts_with("method.")))
      acting.push_back(one);
  }
  return acting;
}

// The tasks without the classes; the tasks of the configuration go on behind the audited version,
// so that versions share oracles.
struct OracleTasks {
  std::vector<std::vector<std::string>> own;  // of the configuration
  std::vector<AddedEvent> learned;
  std::vector<int64_t> events;  // of the audited run, by task
};
OracleTasks oracle_tasks(const TaskPlan& plan, const StreamHistory& history, int64_t version,
                         bool same_method) {
  const auto forgotten = forgotten_in(plan, version);
  OracleTasks tasks;
  for (const auto& task : plan.tasks()) {
    const auto names = names_of(plan, task.new_classes - forgotten);
    const auto* added = added_event(history, plan, task.number);
    if (names.empty() || (added != nullptr && task.number > version)) continue;
    tasks.events.push_back(task.number);
    if (added == nullptr) {
      tasks.own.push_back(names);
      continue;
    }
    auto event = *added;
    event.event.classes = names;
    event.sets = acting_sets(added->sets, same_method);
    tasks.learned.push_back(std::move(event));
  }
  if (tasks.own.empty())
    throw ConfigError(
        "all classes of the configuration were forgotten: there is nothing to train an oracle on");
  return tasks;
}

bool is_among(const std::string& key, std::initializer_list<const char*> sections) {
  return std::any_of(sections.begin(), sections.end(),
                     [&](const char* section) { return key.starts_with(section); });
}

// Takes over the settings that act on training.
void configure_oracle(RunConfig& oracle, RunConfig& audited, const std::string& method,
                      const std::vector<std::vector<std::string>>& tasks) {
  const bool same_method = method == kSameMethod;
  const auto name = same_method ? audited.method : MethodRegistry::builtin().find(method).name;
  Fields taken;
  for (auto& field : audited.used_fields()) {
    if (is_among(field.key, {"eval.every", "forget.", "metric.", "requests", "request.", "run.",
                             "stream.forget", "stream.order", "stream.tasks", "train.grad_steps"}))
      continue;
    if (!same_method && is_among(field.key, {"method."})) continue;
    taken.push_back(std::move(field));
  }
  ConfigText::from_string(to_toml(taken), "configuration of the run").apply(oracle.fields());
  oracle.method = name;
  oracle.stream.task_names = tasks;
  oracle.train.grad_steps = 0;
  oracle.keep.keep_versions = 0;
  // Resolved for the method of the run, not for this one.
  const bool by_method =
      audited.method_recipe().classifier != nullptr || oracle.method_recipe().classifier != nullptr;
  if (!same_method && by_method) oracle.model.classifier = oracle.model.init = "auto";
}

// The images that a task of the oracle can train on, by class name. Images of other classes may be
// gone.
std::string images_text(const DatasetPtr& train, std::vector<std::string> names) {
  const auto& info = train->info();
  if (info.problem == Problem::kMasks) names.insert(names.begin(), info.class_names.front());
  const auto own = relabelled(train, names);
  std::vector<int64_t> shown;
  for (int64_t i = 0; i < own->size(); ++i) {
    if (!own->labels_of(i).empty()) shown.push_back(i);
  }
  std::string constants;
  for (const auto& values : {info.mean, info.std}) {
    for (const double value : values) constants += fmt::format(" {}", value);
  }
  return fmt::format("{}{}\n", fingerprint(Subset(own, std::move(shown))), constants);
}

std::vector<std::string> joined_names(const std::vector<std::vector<std::string>>& tasks) {
  std::vector<std::string> names;
  for (const auto& task : tasks) names.insert(names.end(), task.begin(), task.end());
  return names;
}

// Everything but the seed and the program.
std::string acting_text(RunConfig& oracle, const DataSplits& data, const OracleTasks& tasks) {
  auto values = acting_values(oracle);
  for (const auto& field : oracle.fields()) {
    if (field.is_path || is_among(field.key, {"data.test_per_class", "eval.", "forget.", "metric.",
                                              "run.", "train.seed"}))
      values.erase(field.key);
  }
  std::string text;
  for (const auto& [key, value] : values) text += fmt::format("{} = {}\n", key, value);
  text += images_text(data.train, joined_names(tasks.own));
  if (!oracle.model.pretrained.empty()) text += sha256_of_file(oracle.model.pretrained) + '\n';
  for (const auto& added : tasks.learned) {
    auto json = to_json(added);
    json.erase("data");
    text +=
        json.dump() + '\n' + images_text(load_data(data_options(added)).train, added.event.classes);
  }
  return text;
}

TrainingCost expected_of(const fs::path& run, const Ledger& ledger, const OracleTasks& tasks,
                         const TaskPlan& plan, const ClassSet& forgotten, int64_t events) {
  const auto costs = training_costs(run / kMetricsFile);
  TrainingCost sum;
  for (int64_t i = 0; i < events; ++i) {
    const auto event = tasks.events[static_cast<size_t>(i)];
    const auto found = costs.find(event);
    if (found == costs.end() || ledger.line_of(event) == nullptr) continue;
    // As many images for every class, and no gain from several threads: enough for an estimate.
    const auto& learned = plan.task(event).new_classes;
    auto cost = expected_cost(found->second, learned.size(), (learned - forgotten).size());
    cost.seconds *= ledger.line_of(event)->at("program").at("threads").get<double>();
    sum += cost;
  }
  return sum;
}

}  // namespace

std::string OracleSpec::name() const { return fmt::format("oracle {} ({})", seed, method); }

ClassSet forgotten_in(const TaskPlan& plan, int64_t version) {
  return plan.task(version).forgotten;
}

TaskPlan plan_of_run(RunConfig& config, const StreamHistory& history) {
  config.stream.later.clear();
  for (const auto& added : history.added) config.stream.later.push_back(added.event);
  config.stream.own_classes = static_cast<int64_t>(history.class_names.size());
  DatasetInfo info;
  info.problem = find_dataset(config.data.name).problem;
  info.class_names = history.all_names();
  return {config.stream, info};
}

std::vector<OracleSpec> oracle_specs(const fs::path& run, int64_t version,
                                     const AuditOptions& options) {
  RunConfig audited;
  read_run_config(audited, run);
  const Ledger ledger(run);
  const auto history = read_history(ledger);
  const auto plan = plan_of_run(audited, history);
  if (version < 1 || version > ledger.last_event())
    throw_error<DataError>("{}: has no version {}; events: 1 to {}", run.string(), version,
                           ledger.last_event());
  const auto tasks = oracle_tasks(plan, history, version, options.oracle_method == kSameMethod);
  RunConfig oracle;
  configure_oracle(oracle, audited, options.oracle_method, tasks.own);
  const auto data = load_and_resolve(oracle);
  const auto text = acting_text(oracle, data, tasks);

  OracleSpec spec;
  spec.learned = tasks.learned;
  spec.tasks = static_cast<int64_t>(tasks.own.size());
  spec.event = std::count_if(tasks.events.begin(), tasks.events.end(),
                             [&](int64_t event) { return event <= version; });
  spec.method = oracle.method;
  spec.expected = expected_of(run, ledger, tasks, plan, forgotten_in(plan, version), spec.event);
  std::vector<OracleSpec> specs;
  for (int64_t seed = kFirstSeed; std::ssize(specs) < options.oracles; ++seed) {
    if (seed == audited.train.seed) continue;
    spec.seed = seed;
    oracle.train.seed = seed;
    spec.config = to_toml(oracle.used_fields());
    spec.key = sha256(fmt::format("{}seed {}\n", text, seed)).substr(0, 32);
    specs.push_back(spec);
  }
  return specs;
}

}  // namespace lethe
