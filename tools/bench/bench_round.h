// What the benchmarks share: a method trained for some steps, with time and memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lethe/data/dataset.h"
#include "lethe/trainer/events.h"
#include "tools/bench/bench.h"

namespace lethe {

inline constexpr int64_t kWarmUpSteps = 5;  // of a round, that do not count

// What the rounds of one method measured.
struct MethodTimes {
  std::vector<double> rates;         // images/s
  std::vector<double> step_seconds;  // of one step
  std::map<std::string, double> phases;
  PassCounts passes;
  double peak_gib = 0;  // of main memory, the largest of the rounds

  // Of the runs that were measured.
  std::string setup;
  int64_t batch = 1;
};

// Trains the method up to options.task and adds a round to times.
void measure_round(const std::string& method, const BenchOptions& options, MethodTimes& times);

// The command line that made a table.
std::string command_of(const char* bench, const BenchOptions& options);

double median(std::vector<double> values);

Problem problem_of(const BenchOptions& options);

}  // namespace lethe
