#include "lethe/run/made_event.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/short_list.h"
#include "lethe/core/text.h"
#include "lethe/data/load_data.h"
#include "lethe/run/data_source.h"
#include "lethe/run/event_images.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// The event that erased a class.
int64_t erased_by(const Ledger& ledger, const std::string& name) {
  int64_t event = 0;
  for (const auto& line : ledger.lines()) {
    if (line.contains("erased") && line.at("erased").contains(name)) event = line.at("event");
  }
  return event;
}

void require_different(const std::vector<std::string>& classes) {
  for (size_t i = 0; i < classes.size(); ++i) {
    if (std::find(classes.begin(), classes.begin() + static_cast<std::ptrdiff_t>(i), classes[i]) !=
        classes.begin() + static_cast<std::ptrdiff_t>(i))
      throw_error<ConfigError>("--classes: '{}' is named twice", classes[i]);
  }
}

// The classes of a request, as the run calls them.
std::vector<std::string> classes_to_forget(const FinishedRun& run,
                                           const std::vector<std::string>& asked) {
  if (asked.empty()) throw ConfigError("--classes: name the classes to forget");
  std::vector<std::string> classes;
  for (const auto& name : asked) {
    const auto id = run.plan->find("--classes", name);
    const auto& known = run.plan->class_name(id);
    if (run.erased.contains(id))
      throw_error<ConfigError>("--classes: '{}' was already forgotten and erased by event {}",
                               known, erased_by(run.ledger, known));
    classes.push_back(known);
  }
  require_different(classes);
  return classes;
}

// Whether the run knows a class now, or knew it and erased it.
enum class Known { kNo, kYes, kErased };
Known known(const FinishedRun& run, const std::string& name) {
  for (ClassId id = run.plan->num_classes() - 1; id >= 0; --id) {
    if (run.plan->class_name(id) == name)
      return run.erased.contains(id) ? Known::kErased : Known::kYes;
  }
  return Known::kNo;
}

// A class that differs from a known one only in upper and lower case is most likely the same.
void require_new_name(const FinishedRun& run, const std::string& name) {
  for (ClassId id = 0; id < run.plan->num_classes(); ++id) {
    if (differ_in_case_only(run.plan->class_name(id), name))
      throw_error<ConfigError>(
          "--data: its class '{}' and '{}' of the run differ only in upper and lower case; rename "
          "it",
          name, run.plan->class_name(id));
  }
}

// The new classes of a task: those asked for, or all that the run never knew.
std::vector<std::string> classes_to_learn(const FinishedRun& run, const DataOptions& data,
                                          const std::vector<std::string>& asked) {
  const auto info = load_data(data).train->info();
  auto there = info.class_names;
  if (info.problem == Problem::kMasks) there.erase(there.begin());  // background
  std::vector<std::string> classes;
  for (const auto& name : asked) {
    if (std::find(there.begin(), there.end(), name) == there.end())
      throw_error<ConfigError>("--classes: the data has no class '{}'; it has {}", name,
                               short_list(there));
    if (known(run, name) == Known::kYes)
      throw_error<ConfigError>("--classes: the run knows '{}' already", name);
    if (known(run, name) == Known::kErased)
      log_warning("'{}' was forgotten by event {} and is learned again on request", name,
                  erased_by(run.ledger, name));
    require_new_name(run, name);
    classes.push_back(name);
  }
  require_different(classes);
  if (!asked.empty()) return classes;
  std::vector<std::string> forgotten;
  for (const auto& name : there) {
    const auto state = known(run, name);
    if (state == Known::kNo) classes.push_back(name);
    if (state == Known::kErased) forgotten.push_back(name);
  }
  if (!forgotten.empty())
    log_warning(
        "not learned, because a request forgot them: {}; to learn them again, name them "
        "with --classes",
        short_list(forgotten));
  for (const auto& name : classes) require_new_name(run, name);
  if (classes.empty()) throw ConfigError("--data: has no class that the run does not know already");
  return classes;
}

// The assignments to keys of [data], or all others.
std::vector<std::string> assignments(const EventOptions& options, bool of_data) {
  std::vector<std::string> some;
  for (const auto& assignment : options.sets) {
    if (assignment.starts_with("data.") == of_data) some.push_back(assignment);
  }
  return some;
}

// The changes of the configuration for this event.
std::vector<std::string> changes_for(const EventOptions& options) {
  auto changes = assignments(options, false);
  for (const auto& assignment : changes) {
    const auto section = assignment.substr(0, assignment.find('.'));
    const bool allowed =
        section == "method" || section == "train" || section == "request" || section == "forget";
    for (const char* fixed : {"method.name", "forget.protocol"}) {
      if (assignment.starts_with(fixed))
        throw_error<ConfigError>("--set {}: {} cannot be changed for one event", assignment, fixed);
    }
    if (!allowed)
      throw_error<ConfigError>(
          "--set {}: only keys of data, method, train, request and forget can be changed for one "
          "event",
          assignment);
  }
  if (options.data.empty() && !assignments(options, true).empty())
    throw ConfigError("--set data.*: needs --data");
  return changes;
}

DataOptions open_source(const EventOptions& options) {
  RunConfig source;
  configure_data(source, options.data, assignments(options, true));
  auto& data = source.data;
  for (auto* path : {&data.root, &data.prepared}) {
    if (!path->empty()) *path = fs::absolute(*path).lexically_normal().string();
  }
  return data;
}

// Training without the classes takes everything from the run but the images.
void check_exact(const EventOptions& options, const RunConfig& config) {
  if (options.data.empty())
    throw ConfigError("--exact: needs --data with images of every kept class");
  if (options.epochs)
    throw ConfigError(
        "--epochs: not with --exact, which trains as the run did; use --set train.epochs=N");
  if (options.use_forgotten_images && find_dataset(config.data.name).problem == Problem::kImages)
    throw ConfigError("--use-forgotten-images: --exact trains without images of these classes");
}

}  // namespace

AddedEvent made_event(const EventOptions& options, const RunConfig& config,
                      const FinishedRun& run) {
  AddedEvent added;
  added.sets = changes_for(options);
  added.event.kind = options.kind;
  added.event.epochs = options.epochs;
  added.event.steps = options.steps;
  const bool learns = options.kind == EventKind::kLearn;
  if (learns && options.data.empty()) throw ConfigError("--data: name the images to learn from");
  if (options.epochs && options.data.empty())
    throw ConfigError("--epochs: needs --data; without images use --steps");
  if (options.steps && !options.data.empty())
    throw ConfigError("--steps: is for a request without images; with --data use --epochs");
  if (options.exact) check_exact(options, config);
  if (options.use_forgotten_images && options.data.empty())
    throw ConfigError("--use-forgotten-images: needs --data");
  if (!learns) added.event.classes = classes_to_forget(run, options.classes);
  const auto problem = find_dataset(config.data.name).problem;
  added.event.exact = options.exact;
  if (!learns && options.data.empty() &&
      config.method_recipe().without_images(config.method_groups) == WithoutImages::kNothing)
    throw_error<ConfigError>(
        "method '{}' needs images: add --data with images of kept classes; methods that need none: "
        "{}",
        config.method, fmt::join(MethodRegistry::builtin().names_without_images(problem), ", "));
  if (!options.data.empty()) {
    auto data = open_source(options);
    if (learns) added.event.classes = classes_to_learn(run, data, options.classes);
    added.data = to_toml(config_fields(data));
    added.event.with_images = !learns && !options.exact;
    added.event.forgotten_images = options.use_forgotten_images;
  }
  return added;
}

}  // namespace lethe
