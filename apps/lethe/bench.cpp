#include "tools/bench/bench.h"

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

using Bench = std::string (*)(const BenchOptions&);

int execute(Arguments& arguments, Bench bench) {
  arguments.bench.threads = start(arguments.threads);
  const auto text = bench(arguments.bench);
  if (!arguments.markdown.empty()) write_atomically(arguments.markdown, text);
  fmt::print("{}", text);
  return 0;
}

void add_one(CLI::App& parent, Action& action, const char* name, const char* help, Bench bench) {
  auto* command = parent.add_subcommand(name, help);
  auto arguments = std::make_shared<Arguments>();
  auto& options = arguments->bench;
  command->add_option("--preset", options.preset, "configuration to measure")
      ->capture_default_str()
      ->type_name("NAME");
  if (bench == bench_throughput) {
    command->add_option("--methods", options.methods, "[all]")
        ->delimiter(',')
        ->type_name("NAME,...");
    command->add_option("--task", options.task, "in which is measured")
        ->capture_default_str()
        ->check(CLI::PositiveNumber)
        ->type_name("N");
  }
  add_sets(*command, options.sets);
  command->add_option("--rounds", options.rounds, "repeats, the sides alternating")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--steps", options.steps, "measured per round")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  add_threads(*command, arguments->threads);
  command->add_option("--markdown", arguments->markdown, "also write to this file")
      ->type_name("FILE");
  command->callback(
      [arguments, &action, bench] { action = [=] { return execute(*arguments, bench); }; });
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("bench", "Measure speed on this machine.");
  command->require_subcommand(1);
  add_one(*command, action, "throughput",
          "Images/s of a training step per method, and where the time goes.\n"
          "example: lethe bench throughput --markdown docs/results/throughput.md",
          bench_throughput);
  add_one(*command, action, "terms",
          "What the contrastive terms cost beside the passes that feed them.\n"
          "example: lethe bench terms --markdown docs/results/terms.md",
          bench_terms);
}

}  // namespace lethe::app
