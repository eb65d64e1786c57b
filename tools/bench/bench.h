// `lethe bench`: measurements with the setup printed first, the compared sides alternating, median
// and spread of repeats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lethe {

struct BenchOptions {
  std::string preset = "demo";
  std::vector<std::string> methods;  // throughput and requests; empty = all
  std::string method = "finetune";   // busy and rate
  std::vector<std::string> sets;     // KEY=VALUE
  int64_t rounds = 5;
  int64_t task = 2;    // the task to measure
  int64_t steps = 40;  // measured steps per round
  int threads = 1;
};

// Training throughput (images/s) per method, and time per phase. Returns Markdown.
std::string bench_throughput(const BenchOptions& options);

// Cost of the contrastive terms compared with the forward and backward passes. Returns Markdown.
std::string bench_terms(const BenchOptions& options);

// Training throughput while another process uses one of the cores, with the program's OpenMP spin
// count and with libgomp's default. Each measurement is a child process of this program, because
// libgomp reads the spin count when it is loaded. Returns Markdown.
std::string bench_busy(const BenchOptions& options);

// What requests do with every method, on a small stream of images and one of masks: without images,
// with images, two in a row, a task after them, the same request twice. Returns Markdown.
std::string bench_requests(const BenchOptions& options);

// The measurement of one such child process: images/s as a number.
std::string bench_rate(const BenchOptions& options);

}  // namespace lethe
