#include "lethe/run/runner.h"

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/sha256.h"
#include "lethe/core/shell.h"
#include "lethe/core/text.h"
#include "lethe/record/environment.h"
#include "lethe/record/history.h"
#include "lethe/record/purge.h"
#include "lethe/record/recover.h"
#include "lethe/record/run_files.h"
#include "lethe/record/run_folder.h"
#include "lethe/record/verify.h"
#include "lethe/report/summary.h"
#include "lethe/run/data_record.h"
#include "lethe/run/evidence.h"
#include "lethe/run/experiment.h"
#include "lethe/run/first_task_cache.h"
#include "lethe/run/pending_event.h"
#include "lethe/run/session.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// Checks that the configuration is the one that the run was started with.
void check_same_config(RunConfig& config, const fs::path& run, int threads) {
  RunConfig stored;
  read_run_config(stored, run);
  if (stored.method != config.method) {
    throw_error<ConfigError>(
        "{}: was started with method.name = \"{}\", now it is \"{}\"; resume with the same "
        "settings",
        run.string(), stored.method, config.method);
  }
  if (const auto difference = first_difference(stored.used_fields(), config.used_fields())) {
    throw_error<ConfigError>(
        "{}: was started with {} = {}, now it is {}; resume with the same settings", run.string(),
        difference->key, difference->left, difference->right);
  }
  const int before = environment_of(run).value("threads", threads);
  if (before != threads) {
    log_warning(
        "the run was started with {} and continues with {}: the result may differ in the last bits",
        counted(before, "thread"), threads);
  }
}

// Checks that the files needed to continue a run exist. Opening a missing file would create an
// empty one.
void check_record(const fs::path& run) {
  if (!fs::exists(run / kMetricsFile))
    throw_error<DataError>("{}: is missing; the run cannot continue without its record",
                           (run / kMetricsFile).string());
}

std::string figures_text(const ClassFeatures& own) {
  auto text = fmt::format("linear probe {:.1f} % (before {:.1f} %)", 100 * own.probe,
                          100 * own.probe_before);
  if (own.shots && own.shots_before)
    text += fmt::format(", 5-shot {:.1f} % (before {:.1f} %)", 100 * *own.shots,
                        100 * *own.shots_before);
  return text;
}

// Predictions for forgotten pixels (segmentation) and the figures of the features.
std::string forgetting_text(const RunOutcome& outcome, const TaskPlan& plan) {
  std::string text;
  if (const auto& as = outcome.predicted_as) {
    text += fmt::format(
        "\npixels of forgotten classes are now predicted as: background {:.1f} %, their own class "
        "{:.1f} %, kept classes {:.1f} %, other forgotten classes {:.1f} %, new classes {:.1f} %; "
        "most frequent wrong class: '{}'\n",
        100 * as->background, 100 * as->itself, 100 * as->kept, 100 * as->forgotten,
        100 * as->fresh, visible(plan.class_name(as->most)));
  }
  if (const auto& own = outcome.features) {
    text += fmt::format(
        "\nfeatures of forgotten classes: {}; distance to their old mean: {:.2f} times the old "
        "spread; details: {}\n",
        figures_text(*own), own->distance, kFeaturesFile);
    if (const auto& kept = outcome.kept_features)
      text += fmt::format("features of kept classes: {}\n", figures_text(*kept));
  }
  return text;
}

RunResult result_of(RunIdentity identity, const ScoreTable& table, const TaskPlan& plan,
                    const RunOptions& options) {
  const auto& run = options.out;
  RunResult result = {.identity = std::move(identity),
                      .outcome = outcome_of(table, plan, run / kMetricsFile),
                      .summary = summary_text(table, plan)};
  const auto features = mean_features(run);
  result.outcome.features = features.forgotten;
  result.outcome.kept_features = features.kept;
  result.summary += forgetting_text(result.outcome, plan);
  const Ledger ledger(run);
  result.summary += '\n' + erasure_text(ledger, 0) + leftovers_text(run);
  const bool has_erased = std::any_of(ledger.lines().begin(), ledger.lines().end(),
                                      [](const auto& line) { return line.contains("erased"); });
  if (has_erased && options.cache_stays && !options.cache.empty())
    result.summary += fmt::format(
        "still there, and knows the classes of the first task: the models in the cache {}; delete "
        "it yourself\n",
        options.cache.string());
  result.summary += head_text(ledger);
  result.not_forgotten = not_forgotten(ledger);
  return result;
}

// At the end of an event: measures what was forgotten, while the version before is still there, and
// decides what is erased.
ClassSet close_event(const TaskDone& done, const RunConfig& config, const Experiment& experiment,
                     const fs::path& run, const LedgerKeeper& keeper) {
  const auto& plan = *experiment.plan;
  if (config.keep.protocol == Protocol::kErase) {
    measure_forgetting(config, experiment, run, done.task, {done.task});
    return keeper.carried_out(done);
  }
  const bool is_last = done.task.number == static_cast<int64_t>(plan.tasks().size());
  if (!is_last) return {};
  measure_forgetting(config, experiment, run, done.task, plan.tasks());
  return config.keep.keep_before ? ClassSet{} : keeper.carried_out_so_far(done);
}

// Whether the next event of the configuration writes features.json and predictions.png.
bool next_event_measures(const fs::path& run, const RunConfig& config, const TaskPlan& plan) {
  const auto next = Ledger(run).last_event() + 1;
  const auto tasks = static_cast<int64_t>(plan.tasks().size());
  if (next < 1 || next > tasks) return false;
  return config.keep.protocol == Protocol::kErase ? !plan.task(next).requested.empty()
                                                  : next == tasks;
}

// The files that the rest of the run reads: training images of the tasks that are left, test images
// of all classes.
void check_data_of(const fs::path& run, const RunConfig& config, const TaskPlan& plan) {
  const Ledger ledger(run);
  DataUse use;
  for (const auto& task : plan.tasks()) {
    if (task.number <= ledger.last_event()) continue;
    for (const auto& name : class_names(plan, task.new_classes)) use.train.push_back(name);
    use.test = class_names(plan, task.seen());
  }
  check_run_data(run, ledger, config.data, use);
}

// The events that commands added to the run, if it exists.
StreamHistory history_of(const fs::path& run) {
  if (!has_checkpoint(run)) return {};
  return read_history(Ledger(run));
}

// A changed file would often be a syntax error, which says nothing about the change.
void require_recorded_config(const fs::path& run) {
  const Ledger ledger(run);
  if (ledger.empty()) return;
  const auto& first = ledger.lines().front();
  if (!first.contains("files") || !first.at("files").contains(kConfigFile)) return;
  if (sha256_of_file(run / kConfigFile) != first.at("files").at(kConfigFile).get<std::string>())
    throw_error<DataError>("{}: was changed: its hash is not the one in the ledger",
                           (run / kConfigFile).string());
}

}  // namespace

void read_run_config(RunConfig& config, const fs::path& run) {
  if (!fs::exists(run / kConfigFile))
    throw_error<DataError>("{}: is not a run directory (no {})", run.string(), kConfigFile);
  require_recorded_config(run);
  ConfigText::from_file(run / kConfigFile).apply(config.fields());
}

RunIdentity identify(const RunOptions& options) {
  RunConfig config;
  configure(config, read_config(options.config, options.sets));
  const auto data = load_and_resolve(config);
  return identity_of(config, data);
}

RunResult run(const RunOptions& options) {
  RunConfig config;
  configure(config, read_config(options.config, options.sets));
  check_run_folder(options.out, options.resume);  // before reading the data
  auto experiment = make_experiment(config, history_of(options.out));
  const auto& plan = *experiment.plan;
  const bool needs_identity = options.identify || !options.cache.empty();
  const auto identity = needs_identity ? identity_of(config, experiment.data) : RunIdentity{};

  RunFolder folder(options.out, options.resume);
  if (has_checkpoint(options.out)) recover_run(options.out);
  if (has_checkpoint(options.out)) {
    require_intact(options.out);
    require_nothing_pending(options.out);
    check_same_config(config, options.out, options.threads);
    check_record(options.out);
    if (!next_event_measures(options.out, config, plan)) require_evidence(options.out);
    check_data_of(options.out, config, plan);
  } else {
    write_atomically(options.out / kEnvironmentFile, environment(options.threads).dump(1) + '\n');
    write_atomically(options.out / kConfigFile, to_toml(config.used_fields()));
  }

  FirstTaskCache cache(options.cache, options.out,
                       FirstTaskCache::key_of(config, plan, identity, options.threads));
  const bool fetched = !has_checkpoint(options.out) && cache.fetch();
  if (fetched) {
    log_info("task 1/{}: identical to that of an earlier run, copied from the cache",
             plan.tasks().size());
  }
  Session session(config, experiment, options.out, options.threads, {&folder, &cache});
  session.close = [&](const TaskDone& done) -> Closing {
    return {.erase = close_event(done, config, experiment, options.out, session.keeper())};
  };
  auto& recorder = session.recorder();
  const bool resumed = session.resume();
  if (!resumed) recorder.start_afresh();
  if (!resumed || fetched) {
    nlohmann::ordered_json more = {
        {kDataKey, record_data(options.out, config.data, manifest_of(config.data))}};
    if (!options.cache.empty() && !options.cache_stays) more[kCacheKey] = cache.entry().string();
    session.keeper().start(experiment.data.train->info(), more);
  }
  if (fetched) {
    recorder.rescore();
    session.keeper().adopt_first_task(
        session.trainer().position().step,
        static_cast<int64_t>(plan.train_samples(*experiment.data.train, plan.task(1)).size()));
  }
  if (session.trainer().finished()) {
    auto result = result_of(identity, recorder.table(), plan, options);
    result.was_finished = result.was_resumed = true;
    return result;
  }
  try {
    session.run(std::max<int64_t>(0, options.last_event - Ledger(options.out).last_event()));
    const bool is_finished = session.trainer().finished();
    RunResult result;
    if (is_finished) result = result_of(identity, recorder.table(), plan, options);
    result.identity = identity;
    result.was_resumed = resumed;
    result.is_finished = is_finished;
    return result;
  } catch (const Interrupted& stop) {
    if (!options.resume_advice) throw;
    throw_error<Interrupted>("{}; to resume: lethe run {} --out {} --threads {} --resume",
                             stop.what(), shell_quoted((options.out / kConfigFile).string()),
                             shell_quoted(options.out.string()), options.threads);
  }
}

}  // namespace lethe
