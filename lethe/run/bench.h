// `lethe bench`: measures, with the setup printed first, alternating the sides, median and spread
// of repeats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lethe {

struct BenchOptions {
  std::string preset = "demo";
  std::vector<std::string> methods;  // empty = all
  std::vector<std::string> sets;
  int64_t rounds = 5;
  int64_t steps = 40;  // measured per round, in the second task
  int threads = 1;
};

// Images/s of a training step in the second task, per method, and where the time goes. Returns
// Markdown.
std::string bench_throughput(const BenchOptions& options);

}  // namespace lethe
