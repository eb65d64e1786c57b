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

struct Command {
  const char* name;
  const char* purpose;
  Bench bench;
};

CLI::App& add_one(CLI::App& parent, Action& action, const Command& made) {
  auto* command = parent.add_subcommand(made.name, made.purpose);
  auto arguments = std::make_shared<Arguments>();
  auto& options = arguments->bench;
  const bool of_speed = made.bench != bench_requests;
  if (of_speed) {
    command->add_option("--preset", options.preset, "configuration to measure")
        ->capture_default_str()
        ->type_name("NAME");
  }
  if (made.bench == bench_busy || made.bench == bench_rate) {
    command->add_option("--method", options.method, "method to measure")
        ->capture_default_str()
        ->type_name("NAME");
  }
  if (made.bench == bench_throughput || made.bench == bench_requests) {
    command->add_option("--methods", options.methods, "methods to measure")
        ->delimiter(',')
        ->default_str("all")
        ->type_name("NAME,...");
  }
  if (made.bench == bench_throughput) {
    command->add_option("--task", options.task, "the task to measure")
        ->capture_default_str()
        ->check(kPositive)
        ->type_name("N");
  }
  add_sets(*command, options.sets);
  if (of_speed) {
    command
        ->add_option("--rounds", options.rounds, "number of rounds; the sides alternate in a round")
        ->capture_default_str()
        ->check(kPositive)
        ->type_name("N");
    command->add_option("--steps", options.steps, "measured steps per round")
        ->capture_default_str()
        ->check(kPositive)
        ->type_name("N");
  }
  add_threads(*command, arguments->threads);
  command->add_option("--markdown", arguments->markdown, "also write the result to this file")
      ->default_str("none")
      ->type_name("FILE");
  command->footer(fmt::format("example: lethe bench {} --markdown {}.md", made.name, made.name));
  const auto bench = made.bench;
  command->callback(
      [arguments, &action, bench] { action = [=] { return execute(*arguments, bench); }; });
  return *command;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "bench", "Measure speed on this machine, or what requests do with every method.");
  command->require_subcommand(1);
  command->footer("example: lethe bench throughput --methods finetune,contrastive");
  add_one(*command, action,
          {.name = "throughput",
           .purpose = "Training throughput (images/s) per method, and time per phase.",
           .bench = bench_throughput});
  add_one(
      *command, action,
      {.name = "terms",
       .purpose = "Cost of the contrastive terms compared with the forward and backward passes.",
       .bench = bench_terms});
  add_one(*command, action,
          {.name = "busy",
           .purpose = "Training throughput while another process uses one of the cores.",
           .bench = bench_busy});
  add_one(*command, action,
          {.name = "requests",
           .purpose = "What requests do to forgotten and kept classes, with every method, on small "
                      "synthetic streams.",
           .bench = bench_requests});
  add_one(
      *command, action,
      {.name = "rate", .purpose = "One measurement of `lethe bench busy`.", .bench = bench_rate})
      .group("");  // not shown in help
}

}  // namespace lethe::app
