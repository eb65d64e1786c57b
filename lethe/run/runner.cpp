#include "lethe/run/runner.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/metrics/recorder.h"
#include "lethe/model/torch.h"
#include "lethe/report/summary.h"
#include "lethe/run/environment.h"
#include "lethe/run/experiment.h"
#include "lethe/run/first_task_cache.h"
#include "lethe/run/progress_listener.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

ConfigText config_text(const RunOptions& options) {
  auto text = read_config(options.config);
  for (const auto& assignment : options.sets) text.set(assignment);
  return text;
}

bool is_used(const fs::path& folder) { return fs::exists(folder) && !fs::is_empty(folder); }

// The configuration given now must be the one that the run was started with.
void check_same_config(RunConfig& config, const fs::path& run, int threads) {
  RunConfig stored;
  read_run_config(stored, run);
  if (const auto difference = first_difference(stored.fields(), config.fields())) {
    throw_error<ConfigError>(
        "{}: was started with {} = {}, now it is {}; resume with the same settings", run.string(),
        difference->key, difference->left, difference->right);
  }
  const auto environment = json::parse(read_text(run / "environment.json"), nullptr, false);
  if (environment.is_object() && environment.value("threads", threads) != threads) {
    log_warning("the run was started with {} threads and goes on with {}: bits may differ",
                environment.value("threads", threads), threads);
  }
}

// Makes the run directory; takes it away again if the start fails.
class RunFolder {
 public:
  explicit RunFolder(const fs::path& path) : path_(path), is_new_(!fs::exists(path)) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error)
      throw_error<Error>("{}: the run directory cannot be made: {}", path.string(),
                         error.message());
  }
  ~RunFolder() {
    if (!is_new_ || started_) return;
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  void started() { started_ = true; }

 private:
  fs::path path_;
  bool is_new_;
  bool started_ = false;
};

// From the first step on, the run directory is worth keeping.
class StartWatch : public Listener {
 public:
  explicit StartWatch(RunFolder& folder) : folder_(folder) {}
  void on(const StepDone&) override { folder_.started(); }
  void on(const TaskDone&) override { folder_.started(); }

 private:
  RunFolder& folder_;
};

std::vector<int64_t> steps_of_tasks(const Trainer& trainer, const TaskPlan& plan) {
  std::vector<int64_t> steps;
  for (const auto& task : plan.tasks()) steps.push_back(trainer.steps_of(task));
  return steps;
}

RunResult result_of(const ScoreTable& table, const TaskPlan& plan) {
  return {.scores = table.scores_after(static_cast<int64_t>(plan.tasks().size())),
          .summary = summary_text(table, plan)};
}

}  // namespace

void read_run_config(RunConfig& config, const fs::path& run) {
  if (!fs::exists(run / "config.toml"))
    throw_error<DataError>("{}: is not a run directory (no config.toml)", run.string());
  ConfigText::from_file(run / "config.toml").apply(config.fields());
}

RunResult run(const RunOptions& options) {
  RunConfig config;
  configure(config, config_text(options));
  const bool used = is_used(options.out);
  if (used && !options.resume) {
    throw_error<ConfigError>(
        "{}: is not empty; give another --out, or --resume to go on with that run",
        options.out.string());
  }
  auto experiment = make_experiment(config);
  const auto& plan = *experiment.plan;

  RunFolder folder(options.out);
  const FolderLock lock(options.out);
  remove_staged(options.out);
  const bool known = fs::exists(options.out / "config.toml");
  if (known) {
    check_same_config(config, options.out, options.threads);
    folder.started();
  } else {
    write_atomically(options.out / "environment.json", environment(options.threads).dump(1) + '\n');
    write_atomically(options.out / "config.toml", to_toml(config.fields()));
  }

  FirstTaskCache cache(options.cache, options.out,
                       FirstTaskCache::key_of(config, *experiment.method, options.threads));
  if (!newest_checkpoint(options.out) && cache.fetch()) {
    log_info("task 1/{}: the same as in an earlier run, taken over from there",
             plan.tasks().size());
  }
  Recorder recorder(options.out, plan, config.metric,
                    {.log_steps = config.train.log_steps, .method = config.method});
  auto parts = trainer_parts(experiment, config, options.out);
  StartWatch watch(folder);
  const Trainer counting(config.train, config.eval, parts, {});
  ProgressListener progress(plan, steps_of_tasks(counting, plan), config.train.epochs,
                            ProgressLine::for_stderr());
  Trainer trainer(config.train, config.eval, std::move(parts),
                  {&watch, &recorder, &progress, &cache});
  if (!trainer.resume()) recorder.start_afresh();
  if (trainer.finished()) {
    auto result = result_of(recorder.table(), plan);
    result.was_finished = true;
    return result;
  }
  try {
    trainer.run();
  } catch (const Interrupted& stop) {
    throw_error<Interrupted>("{}; to go on: lethe run {} --out {} --resume", stop.what(),
                             (options.out / "config.toml").string(), options.out.string());
  }
  return result_of(recorder.table(), plan);
}

}  // namespace lethe
