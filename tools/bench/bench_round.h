// Shared by the benchmarks: a method trained for some steps, with time and memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lethe/data/dataset.h"
#include "lethe/trainer/events.h"
#include "tools/bench/bench.h"

namespace lethe {

inline constexpr int64_t kWarmUpSteps = 5;  // per round, not measured

// Measurements of the rounds of one method.
struct MethodTimes {
  std::vector<double> rates;         // images/s
  std::vector<double> step_seconds;  // mean per step
  std::map<std::string, double> phases;
  PassCounts passes;
  double peak_gib = 0;  // peak main memory, the largest of the rounds

  // The measured runs.
  std::string setup;
  int64_t batch = 1;
};

// Trains the method on the whole stream and adds a round, measured in options.task, to times.
void measure_round(const std::string& method, const BenchOptions& options, MethodTimes& times);

// The command line that writes a table, without the paths of this machine.
std::string command_of(const char* bench, const BenchOptions& options);

double median(std::vector<double> values);

// Images/s with three digits, also for networks that take seconds per image.
std::string rate_text(double images_per_second);

Problem problem_of(const BenchOptions& options);

}  // namespace lethe
