#include "lethe/run/add_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/progress.h"
#include "lethe/core/relative_path.h"
#include "lethe/core/shell.h"
#include "lethe/core/short_list.h"
#include "lethe/core/text.h"
#include "lethe/record/history.h"
#include "lethe/record/purge.h"
#include "lethe/record/recover.h"
#include "lethe/record/run_files.h"
#include "lethe/record/run_folder.h"
#include "lethe/record/verify.h"
#include "lethe/report/table.h"
#include "lethe/run/data_record.h"
#include "lethe/run/event_images.h"
#include "lethe/run/finished_run.h"
#include "lethe/run/judged_event.h"
#include "lethe/run/made_event.h"
#include "lethe/run/pending_event.h"
#include "lethe/run/replay.h"
#include "lethe/run/retrain.h"
#include "lethe/run/runner.h"
#include "lethe/run/session.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

void require_kind(const fs::path& run, const PendingEvent& pending, EventKind kind) {
  if (pending.added.event.kind == kind) return;
  const auto* name = name_of(pending.added.event.kind);
  throw_error<ConfigError>("{}: the pending event is a `{}`; use `lethe {} {}`", run.string(), name,
                           name, shell_quoted(run.string()));
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
    throw_error<ConfigError>("{}: there is nothing to {}{}", options.run.string(),
                             options.accept ? "accept" : "resume",
                             options.accept ? "" : "; to start the event, repeat its command");
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
  const auto name = data.at(kManifestKey).get<std::string>();
  const bool is_used =
      std::any_of(ledger.lines().begin(), ledger.lines().end(), [&](const ordered_json& line) {
        return line.contains(kDataKey) && line.at(kDataKey).value(kManifestKey, "") == name;
      });
  if (!is_used && stays_below(name)) shred(run / name);
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

// The plan of the training of `--exact`.
std::unique_ptr<TaskPlan> retraining_of(const RunConfig& config, const Experiment& experiment,
                                        const FinishedRun& run, const AddedEvent& added) {
  auto history = run.history;
  history.added.push_back(added);
  return retraining_plan(config, history, experiment.data.train->info());
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
    const auto source = options.root.empty() ? options.name : options.root;
    check_for_barred(path, run.ledger, options, manifest,
                     {.names = class_names(plan, task.requested | run.erased),
                      .is_allowed = added.event.forgotten_images});
    if (task.retrained) {
      require_images_of_all(*retraining_of(config, experiment, run, added),
                            *experiment.event_images, source);
      return manifest;
    }
    const auto counts = count_images(experiment, task);
    if (added.event.forgotten_images && counts.to_forget == 0)
      throw_error<ConfigError>("--use-forgotten-images: {} has no image of {}", source,
                               plan.short_names(task.requested));
    if (counts.of_task + counts.to_forget + counts.unlabelled == 0)
      throw_error<ConfigError>(
          "--data: {} has no image that this request can use: images of kept classes are needed",
          source);
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
  std::optional<RetrainedRun> retrained;
  if (plan.tasks().back().retrained) {
    log_info("training again from the beginning, without {}",
             plan.short_names(plan.tasks().back().forgotten));
    retrained = retrain({.run = options.run,
                         .folder = options.run / kRetrainFolder,
                         .history = history,
                         .images = experiment,
                         .threads = options.threads});
    extra[kRetrainedKey] = to_json(*retrained, config);
  }
  Session session(config, experiment, options.run, options.threads, {&folder}, extra,
                  retrained ? &retrained->model : nullptr);
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
  result.text +=
      erasure_text(ledger, pending.event) + leftovers_text(options.run) + head_text(ledger);
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

// What `--exact` would train, and how long.
std::string retraining_text(const EventOptions& options, const RunConfig& config,
                            const Experiment& experiment, const FinishedRun& run,
                            const AddedEvent& added) {
  const auto plan = retraining_of(config, experiment, run, added);
  std::vector<std::vector<std::string>> rows;
  for (const auto& task : plan->tasks())
    rows.push_back({std::to_string(task.number), plan->short_names(task.new_classes),
                    std::to_string(plan->train_samples(*experiment.event_images, task).size())});
  const auto cost =
      expected_cost(*plan, *experiment.event_images, *experiment.plan, options.run, run.ledger);
  return fmt::format(
      "the stream is trained again from the beginning, without {}:\n{}"
      "about {}, as fast as the run was trained\n",
      experiment.plan->short_names(experiment.plan->tasks().back().forgotten),
      markdown_table({"task", "learns", "images"}, rows), duration_text(cost.seconds));
}

}  // namespace

EventResult add_event(const EventOptions& options) {
  require_run(options.run);
  RunConfig config;
  read_run_config(config, options.run);
  RunFolder folder(options.run, /*resume=*/true);
  folder.keep();
  const bool was_complete = prepare(options.run);
  const FinishedRun run(options.run, config);
  if (options.resume && was_complete)
    return {.text = "the event was complete; what was left to remove is removed now\n" +
                    erasure_text(run.ledger, run.ledger.last_event()) +
                    leftovers_text(options.run) + head_text(run.ledger)};
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
  require_run(run);
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
  require_run(options.run);
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
  if (task.retrained) {
    text += retraining_text(options, config, experiment, run, added);
  } else if (added.data.empty()) {
    text += fmt::format("without images: method '{}' works from its {}\n", config.method,
                        name_of(config.method_recipe().without_images(config.method_groups)));
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
          "method '{}' ignores requests: it only trains on kept classes, and may or may not "
          "forget\n",
          config.method);
  }
  return text + removal_text(options.run, config, *experiment.plan, task) + "nothing was changed\n";
}

}  // namespace lethe
