#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lethe/core/log.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/method/registry.h"
#include "lethe/report/table.h"
#include "tools/bench/bench_round.h"

namespace lethe {

namespace {

// Expected cost of a step relative to a step of plain training. A pass of the old model has no
// backward pass, so it costs a third. A pass of few inputs costs a fraction.
double expected_cost(const PassCounts& passes, int64_t batch) {
  return (static_cast<double>(passes.student_inputs) + static_cast<double>(passes.old_inputs) / 3) /
         static_cast<double>(batch);
}

}  // namespace

std::string bench_throughput(const BenchOptions& options) {
  std::vector<std::string> methods = options.methods;
  if (methods.empty()) {
    methods = MethodRegistry::builtin().names(problem_of(options));
  }
  std::map<std::string, MethodTimes> times;
  for (int64_t round = 0; round < options.rounds; ++round) {
    for (const auto& method : methods) {
      measure_round(method, options, times[method]);
      log_info("round {}/{} {}: {} images/s", round + 1, options.rounds, method,
               rate_text(times[method].rates.back()));
    }
  }
  const std::vector<std::string> phases = {"data",   "student",  "old model",
                                           "losses", "backward", "optimiser"};
  std::vector<std::string> header = {"method",    "images/s", "range",  "relative",
                                     "step cost", "expected", "passes", "old passes"};
  for (const auto& phase : phases) header.push_back(phase + " %");
  header.insert(header.end(), {"rest %", "peak GiB"});
  const auto& base = times[methods.front()].rates;
  std::vector<std::vector<std::string>> rows;
  for (const auto& method : methods) {
    auto& own = times[method];
    const auto [low, high] = std::minmax_element(own.rates.begin(), own.rates.end());
    std::vector<double> ratios;  // within a round: other load on the machine affects both
    for (size_t i = 0; i < own.rates.size(); ++i) ratios.push_back(own.rates[i] / base[i]);
    std::vector<std::string> row = {method,
                                    rate_text(median(own.rates)),
                                    rate_text(*low) + " - " + rate_text(*high),
                                    fmt::format("{:.2f}", median(ratios)),
                                    fmt::format("{:.2f}", 1 / median(ratios)),
                                    fmt::format("{:.2f}", expected_cost(own.passes, own.batch)),
                                    std::to_string(own.passes.student),
                                    std::to_string(own.passes.old)};
    const double whole = own.phases["epoch"];
    double known = 0;
    for (const auto& phase : phases) {
      known += own.phases[phase];
      row.push_back(percent(own.phases[phase] / whole));
    }
    row.push_back(percent(std::max(0.0, 1 - known / whole)));
    row.push_back(fmt::format("{:.1f}", own.peak_gib));
    rows.push_back(std::move(row));
  }
  return fmt::format(
      "# Throughput of a training step\n\n"
      "Written by `{}` (commit {}, LibTorch {}, {}).\n\n"
      "Setup: {}; task {}, {} after {} to warm up, {} with the methods "
      "alternating. "
      "images/s: median of the rounds; relative: median of the ratios to the first method within a "
      "round; step cost: its inverse; expected: inputs through the student, plus a third of those "
      "through the old model (no backward pass), per image of the batch; passes: backbone passes "
      "per step. student and old model are forward passes; data is the time spent waiting for the "
      "loader; peak: main memory of the process in the method's rounds, including all tasks and "
      "evaluations.\n\n{}",
      command_of("throughput", options), commit(), torch_version(), cpu_name(),
      times[methods.front()].setup, options.task, counted(options.steps, "step"), kWarmUpSteps,
      counted(options.rounds, "round"), markdown_table(header, rows));
}

}  // namespace lethe
