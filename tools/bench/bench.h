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
  int64_t task = 2;    // in which is measured
  int64_t steps = 40;  // measured per round
  int threads = 1;
};

// Images/s of a training step per method, and where the time goes. Returns Markdown.
std::string bench_throughput(const BenchOptions& options);

// What the contrastive terms cost beside the trunk passes that feed them. Returns Markdown.
std::string bench_terms(const BenchOptions& options);

}  // namespace lethe
