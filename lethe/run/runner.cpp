#include "lethe/run/runner.h"

#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/shell.h"
#include "lethe/record/environment.h"
#include "lethe/record/recorder.h"
#include "lethe/record/run_folder.h"
#include "lethe/report/summary.h"
#include "lethe/run/experiment.h"
#include "lethe/run/first_task_cache.h"
#include "lethe/run/mask_evidence.h"
#include "lethe/run/progress_listener.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// The configuration given now must be the one that the run was started with.
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
    log_warning("the run was started with {} threads and goes on with {}: bits may differ", before,
                threads);
  }
}

// What a run cannot go on without. (Opening a missing one would make an empty one.)
void check_record(const fs::path& run) {
  for (const char* file : {"metrics.jsonl", "requests.jsonl"}) {
    if (!fs::exists(run / file))
      throw_error<DataError>("{}: is missing; the run cannot go on without its record",
                             (run / file).string());
  }
}

// A few steps teach nothing; with a small set of one's own, that is easily overlooked.
void warn_of_few_steps(const TrainOptions& train, const TaskPlan& plan,
                       const std::vector<int64_t>& steps) {
  constexpr int64_t kFew = 30;
  if (train.max_steps > 0) return;  // meant so
  for (int64_t task = 1; task <= plan.num_learning_tasks(); ++task) {
    const auto count = steps.at(static_cast<size_t>(task - 1));
    if (count >= kFew) continue;
    const int64_t epochs = task == 1 ? train.epochs : train.epochs_next.value_or(train.epochs);
    log_warning(
        "task {} trains {} step{} in {} epoch{} of batches of {}: hardly enough to learn; raise "
        "train.epochs or lower train.batch",
        task, count, count == 1 ? "" : "s", epochs, epochs == 1 ? "" : "s", train.batch);
    return;
  }
}

// Masks: where forgotten pixels went, and what is left in the features.
std::string forgetting_text(const RunOutcome& outcome, const TaskPlan& plan) {
  std::string text;
  if (const auto& as = outcome.predicted_as) {
    text += fmt::format(
        "\npixels of forgotten classes are now: background {:.1f} %, themselves {:.1f} %, kept "
        "classes {:.1f} %, other forgotten ones {:.1f} %, new ones {:.1f} %; most often '{}'\n",
        100 * as->background, 100 * as->itself, 100 * as->kept, 100 * as->forgotten,
        100 * as->fresh, plan.class_name(as->most));
  }
  if (const auto& features = outcome.features)
    text += fmt::format(
        "their features: distance to the old mean {:.2f} of its spread, found by a linear probe "
        "{:.1f} % (before {:.1f} %, chance 50 %); see predictions.png, features.json\n",
        features->distance, 100 * features->probe, 100 * features->probe_before);
  return text;
}

RunResult result_of(RunIdentity identity, const ScoreTable& table, const RunConfig& config,
                    const Experiment& experiment, const fs::path& run) {
  const auto& plan = *experiment.plan;
  RunResult result = {.identity = std::move(identity),
                      .outcome = outcome_of(table, plan, run / "metrics.jsonl"),
                      .summary = summary_text(table, plan)};
  result.outcome.features = mask_evidence(config, experiment, run);
  result.summary += forgetting_text(result.outcome, plan);
  return result;
}

}  // namespace

void read_run_config(RunConfig& config, const fs::path& run) {
  if (!fs::exists(run / "config.toml"))
    throw_error<DataError>("{}: is not a run directory (no config.toml)", run.string());
  ConfigText::from_file(run / "config.toml").apply(config.fields());
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
  check_run_folder(options.out, options.resume);  // before the data are read
  auto experiment = make_experiment(config);
  const auto& plan = *experiment.plan;
  const bool needs_identity = options.identify || !options.cache.empty();
  const auto identity = needs_identity ? identity_of(config, experiment.data) : RunIdentity{};

  RunFolder folder(options.out, options.resume);
  if (has_checkpoint(options.out)) {
    check_same_config(config, options.out, options.threads);
    check_record(options.out);
  } else {
    write_atomically(options.out / "environment.json", environment(options.threads).dump(1) + '\n');
    write_atomically(options.out / "config.toml", to_toml(config.used_fields()));
  }

  FirstTaskCache cache(
      options.cache, options.out,
      FirstTaskCache::key_of(config, plan, *experiment.method, identity, options.threads));
  const bool fetched = !has_checkpoint(options.out) && cache.fetch();
  if (fetched) {
    log_info("task 1/{}: the same as in an earlier run, taken over from there",
             plan.tasks().size());
  }
  Recorder recorder(options.out, plan, config.metric,
                    {.log_steps = config.train.log_steps, .method = config.method});
  Trainer trainer(config.train, config.eval, trainer_parts(experiment, config, options.out),
                  {&folder, &recorder, &cache});
  ProgressListener progress(plan, trainer.steps_per_task(), config.train,
                            ProgressLine::for_stderr());
  trainer.add(progress);
  warn_of_few_steps(config.train, plan, trainer.steps_per_task());
  const bool resumed = trainer.resume();
  if (!resumed) recorder.start_afresh();
  if (fetched) recorder.rescore();
  if (trainer.finished()) {
    auto result = result_of(identity, recorder.table(), config, experiment, options.out);
    result.was_finished = result.was_resumed = true;
    return result;
  }
  try {
    trainer.run();
  } catch (const Interrupted& stop) {
    throw_error<Interrupted>("{}; to resume: lethe run {} --out {} --threads {} --resume",
                             stop.what(), shell_quoted((options.out / "config.toml").string()),
                             shell_quoted(options.out.string()), options.threads);
  }
  auto result = result_of(identity, recorder.table(), config, experiment, options.out);
  result.was_resumed = resumed;
  return result;
}

}  // namespace lethe
