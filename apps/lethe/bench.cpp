#include "lethe/run/bench.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/lethe/commands.h"
#include "lethe/core/files.h"

namespace lethe::app {

namespace {

struct Arguments {
  BenchOptions bench;
  std::string markdown;
  int threads = 0;
};

int execute(Arguments& arguments) {
  arguments.bench.threads = start(arguments.threads);
  const auto text = bench_throughput(arguments.bench);
  if (!arguments.markdown.empty()) write_atomically(arguments.markdown, text);
  fmt::print("{}", text);
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("bench", "Measure speed on this machine.");
  command->require_subcommand(1);
  auto* throughput = command->add_subcommand(
      "throughput",
      "Images/s of a training step per method, and where the time goes.\n"
      "example: lethe bench throughput --markdown docs/results/throughput.md");
  auto arguments = std::make_shared<Arguments>();
  auto& bench = arguments->bench;
  throughput->add_option("--preset", bench.preset, "configuration to measure")
      ->capture_default_str()
      ->type_name("NAME");
  throughput->add_option("--methods", bench.methods, "[all]")
      ->delimiter(',')
      ->type_name("NAME,...");
  add_sets(*throughput, bench.sets);
  throughput->add_option("--rounds", bench.rounds, "repeats, methods alternating")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  throughput->add_option("--steps", bench.steps, "measured per round")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  add_threads(*throughput, arguments->threads);
  throughput->add_option("--markdown", arguments->markdown, "also write to this file")
      ->type_name("FILE");
  throughput->callback(
      [arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
