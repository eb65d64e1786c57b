#include "lethe/run/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "lethe/core/log.h"
#include "lethe/core/system.h"
#include "lethe/report/table.h"
#include "lethe/run/experiment.h"

namespace lethe {

namespace {

constexpr int64_t kWarmUp = 5;  // steps of a round that do not count

// What one round measured in the second task.
class StepMeter : public Listener {
 public:
  void on(const StepDone& event) override {
    if (event.position.task != 2 || event.position.task_step < kWarmUp) return;
    images += static_cast<double>(event.images);
    seconds += event.seconds;
    student_passes = event.student_passes;
    old_passes = event.old_passes;
  }
  void on(const EpochDone& event) override {
    if (event.position.task != 2) return;
    for (const auto& [phase, time] : event.phase_seconds) phases[phase] += time;
  }

  double images = 0;
  double seconds = 0;
  int student_passes = 0;
  int old_passes = 0;
  std::map<std::string, double> phases;
};

struct MethodTimes {
  std::vector<double> rates;
  std::map<std::string, double> phases;
  int student_passes = 0;
  int old_passes = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void measure(const std::string& method, const BenchOptions& options, MethodTimes& times,
             std::string& setup) {
  RunConfig config;
  auto text = read_config(options.preset, {});
  text.set("method.name=" + method);
  text.set("train.epochs=1000");  // the cap ends a task
  text.set(fmt::format("train.max_steps={}", options.steps + kWarmUp));
  text.set("data.train_per_class=500");
  for (const auto& assignment : options.sets) text.set(assignment);
  configure(config, text);
  const auto experiment = make_experiment(config);
  StepMeter meter;
  Trainer trainer(config.train, config.eval, trainer_parts(experiment, config, {}), {&meter});
  trainer.run();
  times.rates.push_back(meter.images / meter.seconds);
  for (const auto& [phase, seconds] : meter.phases) times.phases[phase] += seconds;
  times.student_passes = meter.student_passes;
  times.old_passes = meter.old_passes;
  const auto& info = experiment.data.train->info();
  setup =
      fmt::format("{} {}x{}, {} of width {} with {} stem{}, batch {}", config.data.name, info.width,
                  info.height, config.model.name, config.model.width, config.model.stem,
                  *config.model.channels_last ? ", channels_last" : "", config.train.batch);
}

}  // namespace

std::string bench_throughput(const BenchOptions& options) {
  std::vector<std::string> methods = options.methods;
  if (methods.empty()) {
    for (const auto& entry : MethodRegistry::builtin().entries()) methods.push_back(entry.name);
  }
  std::map<std::string, MethodTimes> times;
  std::string setup;
  for (int64_t round = 0; round < options.rounds; ++round) {
    for (const auto& method : methods) {
      measure(method, options, times[method], setup);
      log_info("round {}/{} {}: {:.0f} images/s", round + 1, options.rounds, method,
               times[method].rates.back());
    }
  }
  const std::vector<std::string> phases = {"data",   "student",  "old model",
                                           "losses", "backward", "optimiser"};
  std::vector<std::string> header = {"method",   "images/s", "range",
                                     "relative", "passes",   "old passes"};
  for (const auto& phase : phases) header.push_back(phase + " %");
  header.push_back("rest %");
  const auto& base = times[methods.front()].rates;
  std::vector<std::vector<std::string>> rows;
  for (const auto& method : methods) {
    auto& own = times[method];
    const auto [low, high] = std::minmax_element(own.rates.begin(), own.rates.end());
    std::vector<double> ratios;  // within a round: what else the machine does hits both
    for (size_t i = 0; i < own.rates.size(); ++i) ratios.push_back(own.rates[i] / base[i]);
    std::vector<std::string> row = {method,
                                    fmt::format("{:.0f}", median(own.rates)),
                                    fmt::format("{:.0f} - {:.0f}", *low, *high),
                                    fmt::format("{:.2f}", median(ratios)),
                                    std::to_string(own.student_passes),
                                    std::to_string(own.old_passes)};
    const double whole = own.phases["epoch"];
    double known = 0;
    for (const auto& phase : phases) {
      known += own.phases[phase];
      row.push_back(percent(own.phases[phase] / whole));
    }
    row.push_back(percent(std::max(0.0, 1 - known / whole)));
    rows.push_back(std::move(row));
  }
  return fmt::format(
      "# Throughput of a training step\n\n"
      "Written by `lethe bench throughput` (commit {}, LibTorch {}, {}, {} threads).\n\n"
      "Setup: {}; second task, {} steps after {} to warm up, {} rounds with the methods "
      "alternating. "
      "images/s: median of the rounds; relative: median of the ratios to the first method within a "
      "round; passes: trunk passes of the student and of the old model "
      "per step. "
      "student and old model are forward passes; data is waiting for the loader.\n\n{}",
      commit(), torch_version(), cpu_name(), options.threads, setup, options.steps, kWarmUp,
      options.rounds, markdown_table(header, rows));
}

}  // namespace lethe
