#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/report/table.h"
#include "tools/bench/bench_round.h"
#include "tools/bench/child_process.h"

namespace lethe {

namespace {

struct Load {
  const char* name;
  std::optional<int> nice;  // of the busy process; std::nullopt = there is none
};

struct Setting {
  const char* name;
  const char* spin_count;  // nullptr = the program sets it
};

constexpr std::array<Load, 3> kLoads = {
    {{"quiet", std::nullopt}, {"one busy process", 0}, {"one busy process at nice 19", 19}}};

// libgomp's default is 300,000.
constexpr std::array<Setting, 3> kSettings = {{{"set by lethe", nullptr},
                                               {"1000", "1000"},
                                               {"libgomp's default, as in lethe 0.1", "300000"}}};

std::vector<std::string> child_arguments(const BenchOptions& options) {
  std::vector<std::string> arguments = {"-q",
                                        "bench",
                                        "rate",
                                        "--preset",
                                        options.preset,
                                        "--steps",
                                        std::to_string(options.steps),
                                        "--threads",
                                        std::to_string(options.threads),
                                        "--method",
                                        options.method};
  for (const auto& assignment : options.sets) {
    arguments.emplace_back("--set");
    arguments.push_back(assignment);
  }
  return arguments;
}

double measure(const BenchOptions& options, const Load& load, const Setting& setting) {
  std::optional<BusyProcess> busy;
  if (load.nice) busy.emplace(*load.nice);
  ChildEnvironment environment = {.unset = {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"}};
  if (setting.spin_count != nullptr)
    environment.set.emplace_back("GOMP_SPINCOUNT", setting.spin_count);
  return std::stod(run_self(child_arguments(options), environment));
}

}  // namespace

std::string bench_rate(const BenchOptions& options) {
  // One task with all classes: more would only be trained, not measured.
  auto own = options;
  own.task = 1;
  own.sets.insert(own.sets.begin(), {"stream.tasks=[]", "requests=[]", "stream.forget_fraction=0"});
  MethodTimes times;
  measure_round(own.method, own, times);
  return fmt::format("{}\n", times.rates.front());
}

std::string bench_busy(const BenchOptions& options) {
  std::map<std::pair<size_t, size_t>, std::vector<double>> rates;  // by setting, load
  for (int64_t round = 0; round < options.rounds; ++round) {
    for (size_t load = 0; load < kLoads.size(); ++load) {
      for (size_t setting = 0; setting < kSettings.size(); ++setting) {
        auto& own = rates[{setting, load}];
        own.push_back(measure(options, kLoads.at(load), kSettings.at(setting)));
        log_info("round {}/{} {}, {}: {} images/s", round + 1, options.rounds, kLoads.at(load).name,
                 kSettings.at(setting).name, rate_text(own.back()));
      }
    }
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [place, own] : rates) {
    const auto& [setting, load] = place;
    const auto& quiet = rates.at({setting, 0});
    std::vector<double> ratios;  // within a round
    for (size_t i = 0; i < own.size(); ++i) ratios.push_back(own[i] / quiet[i]);
    const auto [low, high] = std::minmax_element(own.begin(), own.end());
    rows.push_back({kSettings.at(setting).name, kLoads.at(load).name, rate_text(median(own)),
                    rate_text(*low) + " - " + rate_text(*high),
                    fmt::format("{:.2f}", median(ratios))});
  }
  return fmt::format(
      "# Throughput on a busy machine\n\n"
      "Written by `{}` (commit {}, LibTorch {}, {}, {}).\n\n"
      "Setup: preset {}, method {}, one task with all classes, {}; {} of {} "
      "after {}. Every measurement is a process of its own; the settings alternate. "
      "The busy process computes on one core without a pause. images/s: median and range over the "
      "rounds. Ratio: throughput divided by that of the quiet machine with the same spin count in "
      "the same round; the median is shown.\n\n"
      "{}",
      command_of("busy", options), commit(), torch_version(), cpu_name(),
      counted(physical_cores(), "usable core"), options.preset, options.method,
      counted(options.threads, "thread"), counted(options.rounds, "round"),
      counted(options.steps, "step"), counted(kWarmUpSteps, "warm-up step"),
      markdown_table({"spin count", "machine", "images/s", "range", "ratio"}, rows));
}

}  // namespace lethe
