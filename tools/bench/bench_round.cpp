#include "tools/bench/bench_round.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/shell.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/run/experiment.h"

namespace lethe {

namespace {

// Measures the steps of one task in one round.
class StepMeter : public Listener {
 public:
  explicit StepMeter(int64_t task) : task_(task) {}
  void on(const StepDone& event) override {
    if (event.position.task != task_ || event.position.task_step < kWarmUpSteps) return;
    images += static_cast<double>(event.images);
    seconds += event.seconds;
    steps += 1;
    passes = event.passes;
  }
  void on(const EpochDone& event) override {
    if (event.position.task != task_) return;
    for (const auto& [phase, time] : event.phase_seconds) phases[phase] += time;
  }

  double images = 0;
  double seconds = 0;
  double steps = 0;
  PassCounts passes;
  std::map<std::string, double> phases;

 private:
  int64_t task_;
};

}  // namespace

void measure_round(const std::string& method, const BenchOptions& options, MethodTimes& times) {
  reset_peak_memory();
  RunConfig config;
  auto text = read_config(options.preset, {});
  text.set("method.name=" + method);
  text.set("train.epochs=1000");  // train.max_steps ends a task
  text.set(fmt::format("train.max_steps={}", options.steps + kWarmUpSteps));
  text.set("data.train_per_class=500");
  text.set("data.test_per_class=20");  // evaluations are not measured
  for (const auto& assignment : options.sets) text.set(assignment);
  configure(config, text);
  const auto experiment = make_experiment(config);
  if (options.task > static_cast<int64_t>(experiment.plan->tasks().size()))
    throw_error<ConfigError>(
        "--task {}: the stream has {}", options.task,
        counted(static_cast<int64_t>(experiment.plan->tasks().size()), "task"));
  StepMeter meter(options.task);
  Trainer trainer(config.train, config.eval, trainer_parts(experiment, config, {}), {&meter});
  trainer.run();
  times.rates.push_back(meter.images / meter.seconds);
  for (const auto& [phase, seconds] : meter.phases) times.phases[phase] += seconds;
  times.step_seconds.push_back(meter.seconds / meter.steps);
  times.passes = meter.passes;
  times.peak_gib = std::max(times.peak_gib, peak_memory_gib());
  const auto& info = experiment.data.train->info();
  times.batch = config.train.batch_size();
  const bool masks = info.problem == Problem::kMasks;
  times.setup = fmt::format("{} {}x{}, {}{} of width {} with {} stem{}, batch {}", config.data.name,
                            info.width, info.height, config.model.name,
                            masks ? " on " + config.model.backbone : "", *config.model.width,
                            config.model.stem, *config.model.channels_last ? ", channels_last" : "",
                            config.train.batch_size());
}

std::string command_of(const char* bench, const BenchOptions& options) {
  std::string text = fmt::format("lethe bench {}", bench);
  if (options.preset != BenchOptions{}.preset) text += " --preset " + shell_quoted(options.preset);
  if (options.task != BenchOptions{}.task) text += fmt::format(" --task {}", options.task);
  if (!options.methods.empty())
    text += " --methods " + shell_quoted(fmt::format("{}", fmt::join(options.methods, ",")));
  if (options.method != BenchOptions{}.method) text += " --method " + shell_quoted(options.method);
  if (options.rounds != BenchOptions{}.rounds) text += fmt::format(" --rounds {}", options.rounds);
  if (options.steps != BenchOptions{}.steps) text += fmt::format(" --steps {}", options.steps);
  for (const auto& assignment : options.sets)
    text += " --set " + shell_quoted(without_own_path(assignment));
  return text + fmt::format(" --threads {}", options.threads);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string rate_text(double images_per_second) {
  return images_per_second < 100 ? fmt::format("{:.3g}", images_per_second)
                                 : fmt::format("{:.0f}", images_per_second);
}

Problem problem_of(const BenchOptions& options) {
  RunConfig config;
  configure(config, read_config(options.preset, options.sets));
  return find_dataset(config.data.name).problem;
}

}  // namespace lethe
