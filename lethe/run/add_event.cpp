#include "lethe/run/add_event.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/shell.h"
#include "lethe/core/short_list.h"
#include "lethe/core/text.h"
#include "lethe/data/load_data.h"
#include "lethe/record/history.h"
#include "lethe/record/purge.h"
#include "lethe/record/recover.h"
#include "lethe/record/run_files.h"
#include "lethe/record/run_folder.h"
#include "lethe/record/verify.h"
#include "lethe/report/table.h"
#include "lethe/run/data_record.h"
#include "lethe/run/data_source.h"
#include "lethe/run/event_images.h"
#include "lethe/run/pending_event.h"
#include "lethe/run/replay.h"
#include "lethe/run/runner.h"
#include "lethe/run/session.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// The state of a finished run, without its data.
struct FinishedRun {
  FinishedRun(const fs::path& path, RunConfig& config)
      : ledger(path), history(read_history(ledger)) {
    config.model.pretrained.clear();  // the version has all weights
    for (const auto& added : history.added) config.stream.later.push_back(added.event);
    DatasetInfo info;
    info.problem = find_dataset(config.data.name).problem;
    info.class_names = history.all_names();
    config.stream.own_classes = static_cast<int64_t>(history.class_names.size());
    plan = std::make_unique<TaskPlan>(config.stream, info);
    const auto events = static_cast<int64_t>(plan->tasks().size());
    if (ledger.last_event() < events)
      throw_error<ConfigError>(
          "{}: the run is not finished ({} of {} events); finish it first: lethe run {} --out {} "
          "--resume",
          path.string(), std::max<int64_t>(0, ledger.last_event()), events,
          shell_quoted((path / kConfigFile).string()), shell_quoted(path.string()));
    erased = erased_in(read_checkpoint(version_of(path, events)));
  }

  Ledger ledger;
  StreamHistory history;
  std::unique_ptr<TaskPlan> plan;
  ClassSet erased;
};

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

// Checks the request and describes the event.
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
  if (options.use_forgotten_images && options.data.empty())
    throw ConfigError("--use-forgotten-images: needs --data");
  if (!learns) added.event.classes = classes_to_forget(run, options.classes);
  const auto problem = find_dataset(config.data.name).problem;
  if (!learns && options.data.empty() &&
      config.method_recipe().without_images == WithoutImages::kNothing)
    throw_error<ConfigError>(
        "method '{}' can do nothing for a request without images: add --data with images of kept "
        "classes; methods that can: {}",
        config.method, fmt::join(MethodRegistry::builtin().names_without_images(problem), ", "));
  if (!options.data.empty()) {
    auto data = open_source(options);
    if (learns) added.event.classes = classes_to_learn(run, data, options.classes);
    added.data = to_toml(config_fields(data));
    added.event.with_images = !learns;
    added.event.forgotten_images = options.use_forgotten_images;
  }
  return added;
}

// The figures of a request: what the decision is based on.
struct Judged {
  std::vector<ClassVerdict> verdicts;
  std::vector<KeptFall> falls;
  double mean_fall = 0;
  double worst_fall = 0;
  std::optional<double> learned;
  bool acceptable = true;
};

// The loss of the kept class that lost most.
double worst_kept_fall(const Task& task, const EvaluationRow& before, const EvaluationRow& after,
                       const TaskPlan& plan) {
  std::optional<double> worst;
  for (const auto& fall : kept_falls(task, before, after, plan, {.kept_fall = -2}))
    worst = std::max(worst.value_or(-1), fall.before - fall.after);
  return worst.value_or(0);
}

Judged judge_event(const TaskDone& done, const ScoreTable& table, const TaskPlan& plan,
                   const VerdictOptions& options) {
  Judged judged;
  for (const auto& request : done.requests) {
    for (const auto& one : judge_request(request, done.task.number, table, plan, options)) {
      judged.verdicts.push_back(one);
      judged.acceptable = judged.acceptable && is_carried_out(one, request.effect);
    }
  }
  const auto* before = table.version_row(done.task.number - 1);
  const auto* after = table.end_row(done.task.number);
  if (before != nullptr && after != nullptr) {
    judged.falls = kept_falls(done.task, *before, *after, plan, options);
    judged.mean_fall = mean_kept_fall(done.task, *before, *after, plan);
    judged.worst_fall = worst_kept_fall(done.task, *before, *after, plan);
  }
  if (after != nullptr && done.task.learns())
    judged.learned = level_of(done.task, *after, plan, options).accuracy;
  judged.acceptable =
      judged.acceptable && judged.falls.empty() && judged.mean_fall <= options.mean_fall;
  return judged;
}

Closing decide(const TaskDone& done, const LedgerKeeper& keeper, const ScoreTable& table,
               const TaskPlan& plan, const VerdictOptions& options, bool accept) {
  if (done.requests.empty()) return {};
  if (accept) return {.erase = done.task.requested};
  if (!judge_event(done, table, plan, options).acceptable) return {.erase = {}, .reject = true};
  return {.erase = keeper.carried_out(done)};
}

std::string verdict_table(const Judged& judged, const TaskPlan& plan) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](ClassId id, double before, double after, std::string what) {
    rows.push_back({plan.class_name(id), percent(before), percent(after), std::move(what)});
  };
  for (const auto& one : judged.verdicts) add(one.id, one.before, one.after, name_of(one.verdict));
  for (const auto& one : judged.falls) add(one.id, one.before, one.after, "kept, fell too far");
  return markdown_table({"class", "before", "after", "verdict"}, rows) +
         fmt::format("kept classes: {} points on average\n", signed_points(-judged.mean_fall));
}

EventFigures figures_of(const Judged& judged, const TaskPlan& plan) {
  EventFigures figures{.forgotten = {},
                       .learned = judged.learned,
                       .mean_fall = judged.mean_fall,
                       .worst_fall = judged.worst_fall};
  for (const auto& one : judged.verdicts)
    figures.forgotten.push_back(
        {plan.class_name(one.id), one.before, one.after, name_of(one.verdict)});
  return figures;
}

ordered_json to_json(const Judged& judged, const TaskPlan& plan) {
  ordered_json verdicts = ordered_json::object();
  for (const auto& one : judged.verdicts) verdicts[plan.class_name(one.id)] = name_of(one.verdict);
  ordered_json falls = ordered_json::object();
  for (const auto& one : judged.falls)
    falls[plan.class_name(one.id)] = {{"before", one.before}, {"after", one.after}};
  return {{"verdicts", verdicts}, {"falls", falls}, {"mean_fall", judged.mean_fall}};
}

// Returns the record to its state at the end of the last complete event.
void rewind(const fs::path& path, const RunConfig& config, const FinishedRun& run) {
  Recorder recorder(path, *run.plan, config.metric, config.train.log_steps);
  recorder.restore(read_checkpoint(version_of(path, run.ledger.last_event()))
                       .state.at("listeners")
                       .at("recorder"));
}

void require_kind(const fs::path& run, const PendingEvent& pending, EventKind kind) {
  if (pending.added.event.kind == kind) return;
  const auto* name = name_of(pending.added.event.kind);
  throw_error<ConfigError>("{}: the event that was begun is a `{}`; use `lethe {} {}`",
                           run.string(), name, name, shell_quoted(run.string()));
}

// The event to carry out: a new one, or the one that is pending.
PendingEvent pending_event(const EventOptions& options, const RunConfig& config,
                           const FinishedRun& run) {
  auto pending = read_pending(options.run);
  if (pending && (options.resume || options.accept))
    require_kind(options.run, *pending, options.kind);
  if (!options.resume && !options.accept) {
    require_nothing_pending(options.run);
    return {.added = made_event(options, config, run),
            .reason = options.reason,
            .asked = time_stamp(),
            .event = run.ledger.last_event() + 1,
            .replay = options.replay};
  }
  if (!pending)
    throw_error<ConfigError>("{}: there is nothing to {}", options.run.string(),
                             options.accept ? "accept" : "resume");
  if (options.accept && pending->candidate.is_null())
    throw_error<ConfigError>("{}: the event is not complete: continue it with `{}`",
                             options.run.string(), pending->resume_command(options.run));
  if (options.resume && !pending->candidate.is_null()) require_nothing_pending(options.run);
  pending->accept = pending->accept || options.accept;
  return *pending;
}

// Removes the list of images of an event that was dropped, unless another event has the same.
void shred_unused_list(const fs::path& run, const Ledger& ledger, const ordered_json& data) {
  if (data.is_null() || !data.contains(kManifestKey)) return;
  const auto& name = data.at(kManifestKey);
  const bool is_used =
      std::any_of(ledger.lines().begin(), ledger.lines().end(), [&](const ordered_json& line) {
        return line.contains(kDataKey) && line.at(kDataKey).value(kManifestKey, "") == name;
      });
  if (!is_used) shred(run / name.get<std::string>());
}

// Reads the record of a run, completes what a killed process left, and checks the files. Returns
// whether a pending event turned out to be complete.
bool prepare(const fs::path& run) {
  recover_run(run);
  require_intact(run);
  const auto pending = read_pending(run);
  if (!pending || pending->event > Ledger(run).last_event()) return false;
  drop_pending(run);
  return true;
}

// The images of the run's own dataset that an event reads. Training images of kept classes may be
// gone, and so may test images of the classes to forget: then the verdict is "not measured".
DataUse data_use(const RunConfig& config, const Experiment& experiment, const FinishedRun& run,
                 const AddedEvent& added) {
  const auto& plan = *experiment.plan;
  const auto& task = plan.tasks().back();
  const auto kept = task.without(run.erased).seen() - task.requested - task.new_classes;
  DataUse use;
  use.test = class_names(plan, kept);
  use.test_if_there = class_names(plan, task.requested);
  const bool is_request = added.event.kind == EventKind::kForget;
  if (is_request && !added.data.empty() && is_same_source(config.data, data_options(added)))
    use.train_if_there =
        class_names(plan, added.event.forgotten_images ? kept | task.requested : kept);
  return use;
}

// Checks the images of an event before anything is written. Returns the manifest of --data, which
// is empty without --data.
Manifest check_images(const fs::path& path, const RunConfig& config, const Experiment& experiment,
                      const FinishedRun& run, const AddedEvent& added) {
  check_run_data(path, run.ledger, config.data, data_use(config, experiment, run, added));
  if (added.data.empty()) return {};
  const auto options = data_options(added);
  const auto manifest = manifest_of(options);
  const auto& plan = *experiment.plan;
  const auto& task = plan.tasks().back();
  if (added.event.kind == EventKind::kForget) {
    check_for_barred(path, run.ledger, options, manifest,
                     {.names = class_names(plan, task.requested | run.erased),
                      .is_allowed = added.event.forgotten_images});
    const auto counts = count_images(experiment, task);
    if (counts.of_task + counts.to_forget + counts.unlabelled == 0)
      throw_error<ConfigError>(
          "--data: {} has no image that this request can use: images of kept classes are needed",
          options.root.empty() ? options.name : options.root);
  }
  return manifest;
}

// An event that was interrupted goes on with the images that it began with.
void require_same_images(const fs::path& run, const PendingEvent& pending,
                         const Manifest& manifest) {
  if (pending.data.is_null() || pending.data.value("root", "") == "") return;
  if (pending.data.at("root") == manifest.root()) return;
  const auto options = data_options(pending.added);
  throw_error<DataError>(
      "{}: {} since the event was begun; `lethe {} {} --discard` drops the event", options.root,
      first_change(run, pending.data, options), name_of(pending.added.event.kind),
      shell_quoted(run.string()));
}

EventResult carry_out(const EventOptions& options, RunConfig& config, const FinishedRun& run,
                      PendingEvent& pending, RunFolder& folder) {
  auto history = run.history;
  history.added.push_back(pending.added);
  history.last_is_new = true;
  const auto experiment = make_experiment(config, history);
  const auto& plan = *experiment.plan;
  const auto manifest = check_images(options.run, config, experiment, run, pending.added);
  require_same_images(options.run, pending, manifest);
  config.keep.protocol = Protocol::kErase;
  pending.candidate = nullptr;
  if (!pending.added.data.empty() && pending.data.is_null())
    pending.data = record_data(options.run, data_options(pending.added), manifest);
  write_pending(options.run, pending);

  ordered_json extra = {{"asked", pending.asked}, {kCommandKey, to_json(pending.added)}};
  if (!pending.reason.empty()) extra["reason"] = pending.reason;
  if (!pending.data.is_null()) extra[kDataKey] = pending.data;
  if (pending.accept) extra["accepted"] = "by the operator, although a check did not pass";
  Session session(config, experiment, options.run, options.threads, {&folder}, extra);
  const auto& table = session.recorder().table();
  Judged judged;
  const auto closing = [&](const TaskDone& done, const LedgerKeeper& keeper,
                           const ScoreTable& rows) {
    judged = judge_event(done, rows, plan, config.forget);
    return decide(done, keeper, rows, plan, config.forget, pending.accept);
  };
  session.close = [&](const TaskDone& done) { return closing(done, session.keeper(), table); };
  if (pending.replay) {
    session.keeper().before_commit = [&](const VersionWritten& written) -> ordered_json {
      log_info("carrying the event out a second time, to compare");
      const auto again = replay_sums({.run = options.run,
                                      .history = history,
                                      .event = pending.event,
                                      .threads = options.threads,
                                      .close = closing});
      if (again != read_text(written.folder / kSums))
        throw_error<Error>(
            "the second run of the event gave other bits than the first: nothing was changed; "
            "`lethe {} {} --discard` drops the event",
            name_of(options.kind), shell_quoted(options.run.string()));
      return {{"replayed", "carried out twice, with the same bits"}};
    };
  }
  session.resume();
  session.run();

  EventResult result;
  result.figures = figures_of(judged, plan);
  if (session.trainer().rejected()) {
    rewind(options.run, config, run);
    pending.candidate = to_json(judged, plan);
    write_pending(options.run, pending);
    result.accepted = false;
    result.text = verdict_table(judged, plan) +
                  fmt::format(
                      "not accepted: the run is as it was. The candidate is in {}.\n"
                      "Decide with `lethe forget {} --accept` or `lethe forget {} --discard`.\n",
                      candidate_folder(options.run).string(), shell_quoted(options.run.string()),
                      shell_quoted(options.run.string()));
    return result;
  }
  drop_pending(options.run);
  const auto& ledger = session.keeper().ledger();
  if (!judged.verdicts.empty()) result.text = verdict_table(judged, plan);
  if (pending.replay) result.text += "carried out twice, with the same bits\n";
  result.text += erasure_text(ledger, pending.event) + leftovers_text(options.run);
  return result;
}

// What a request removes if it is accepted.
std::string removal_text(const fs::path& run, const RunConfig& config, const TaskPlan& plan,
                         const Task& task) {
  if (task.requested.empty()) return "";
  int64_t learned_in = task.number;
  for (const ClassId id : task.requested) learned_in = std::min(learned_in, plan.task_of(id));
  std::vector<std::string> folders;
  for (const auto version : versions_of(run)) {
    if (version >= learned_in) folders.push_back(version_of(run, version).filename().string());
  }
  return fmt::format("if the result is accepted, these versions {}: {}\n",
                     config.keep.keep_before
                         ? "stay until `lethe purge --apply` (forget.keep_before = true)"
                         : "are removed",
                     short_list(folders));
}

}  // namespace

EventResult add_event(const EventOptions& options) {
  RunConfig config;
  read_run_config(config, options.run);
  RunFolder folder(options.run, /*resume=*/true);
  folder.keep();
  const bool was_complete = prepare(options.run);
  const FinishedRun run(options.run, config);
  if (options.resume && was_complete)
    return {.text = "the event was complete\n" + erasure_text(run.ledger, run.ledger.last_event()) +
                    leftovers_text(options.run)};
  auto pending = pending_event(options, config, run);
  try {
    return carry_out(options, config, run, pending, folder);
  } catch (const Interrupted& stop) {
    throw_error<Interrupted>("{}; to resume: {}", stop.what(), pending.resume_command(options.run));
  } catch (const Error&) {
    const auto left = pending_text(options.run);
    if (!left.empty()) log_warning("{}", left);
    throw;
  }
}

void discard_event(const fs::path& run, EventKind kind) {
  RunConfig config;
  read_run_config(config, run);
  RunFolder folder(run, /*resume=*/true);
  folder.keep();
  prepare(run);
  const auto pending = read_pending(run);
  if (!pending) throw_error<ConfigError>("{}: there is nothing to discard", run.string());
  require_kind(run, *pending, kind);
  const FinishedRun finished(run, config);
  rewind(run, config, finished);
  drop_pending(run);
  shred_unused_list(run, finished.ledger, pending->data);
}

std::string dry_run(const EventOptions& options) {
  RunConfig config;
  read_run_config(config, options.run);
  require_intact(options.run);
  require_nothing_pending(options.run);
  const FinishedRun run(options.run, config);
  const auto added = made_event(options, config, run);
  auto history = run.history;
  history.added.push_back(added);
  history.last_is_new = true;
  const auto experiment = make_experiment(config, history);
  const auto& task = experiment.plan->tasks().back();
  check_images(options.run, config, experiment, run, added);
  std::string text = fmt::format("event {} of {}: {} {}\n", task.number, options.run.string(),
                                 name_of(added.event.kind), short_list(added.event.classes));
  if (added.data.empty()) {
    text += fmt::format("without images: method '{}' works from its {}\n", config.method,
                        name_of(config.method_recipe().without_images));
  } else {
    const auto counts = count_images(experiment, task);
    text += fmt::format("{}{}\n", counted(counts.of_task, "image"),
                        task.learns() ? "" : " of kept classes");
    if (counts.to_forget > 0)
      text += fmt::format("{} of the classes to forget\n", counted(counts.to_forget, "image"));
    if (counts.unlabelled > 0)
      text += fmt::format(
          "{} of classes that the run does not know, with the labels that the model predicts for "
          "them\n",
          counted(counts.unlabelled, "image"));
    if (!task.learns() && !experiment.method->uses_forget_set())
      text += fmt::format(
          "method '{}' ignores requests: it only trains on kept classes, and the class fades\n",
          config.method);
  }
  return text + removal_text(options.run, config, *experiment.plan, task) + "nothing was changed\n";
}

}  // namespace lethe
