#include "lethe/run/session.h"

#include "lethe/core/log.h"
#include "lethe/core/text.h"

namespace lethe {

namespace {

// A few steps are not enough to learn; with a small dataset this is easily overlooked.
void warn_of_few_steps(const TrainOptions& train, const TaskPlan& plan,
                       const std::vector<int64_t>& steps) {
  constexpr int64_t kFew = 30;
  if (train.max_steps > 0) return;  // intended by the user
  for (const auto& task : plan.tasks()) {
    const auto count = steps.at(static_cast<size_t>(task.number - 1));
    if (!task.learns() || count == 0 || count >= kFew) continue;
    log_warning(
        "task {} trains {} in {} of batches of {}: hardly enough to learn; raise train.epochs or "
        "lower train.batch",
        task.number, counted(count, "step"),
        counted(task.epochs.value_or(train.epochs_of(task.number)), "epoch"), train.batch_size());
    return;
  }
}

std::vector<Listener*> listeners(std::initializer_list<Listener*> first,
                                 const std::vector<Listener*>& more) {
  std::vector<Listener*> all = first;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

Session::Session(const RunConfig& config, const Experiment& experiment,
                 const std::filesystem::path& run, int threads, const std::vector<Listener*>& more,
                 nlohmann::ordered_json extra, const Retrained* retrained)
    : config_(config),
      plan_(*experiment.plan),
      recorder_(run, plan_, config.metric, config.train.log_steps),
      keeper_(run, plan_, recorder_.table(),
              {.method = config.method,
               .seed = config.train.seed,
               .threads = threads,
               .verdict = config.forget,
               .keep = config.keep,
               .extra = std::move(extra)}),
      watcher_(plan_, recorder_.table(), config.forget),
      trainer_(config.train, config.eval, parts(experiment, config, run, retrained),
               listeners({&recorder_, &keeper_, &watcher_}, more)) {}

TrainerParts Session::parts(const Experiment& experiment, const RunConfig& config,
                            const std::filesystem::path& run, const Retrained* retrained) {
  auto parts = trainer_parts(experiment, config, run);
  parts.retrained = retrained;
  parts.close = [this](const TaskDone& done) { return close ? close(done) : Closing{}; };
  return parts;
}

void Session::run(int64_t most) {
  const auto steps = trainer_.steps_per_task();
  warn_of_few_steps(config_.train, plan_, steps);
  progress_.emplace(plan_, steps, config_.train, ProgressLine::for_stderr());
  trainer_.add(*progress_);
  trainer_.run(most);
}

}  // namespace lethe
