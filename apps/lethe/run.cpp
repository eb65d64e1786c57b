#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/lethe/commands.h"
#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/run/runner.h"

namespace lethe::app {

namespace {

struct Arguments {
  RunOptions run;
  std::string out;
  std::string cache;
  std::string seed;
  int threads = 0;
  bool dry_run = false;
  bool help_config = false;
};

int execute(Arguments& arguments) {
  if (arguments.help_config) {
    RunConfig config;
    fmt::print("{}", describe(config.fields()));
    return 0;
  }
  auto& options = arguments.run;
  if (options.config.empty())
    throw ConfigError("CONFIG is missing: a TOML file or a preset (see `lethe list presets`)");
  if (!arguments.seed.empty()) options.sets.push_back(fmt::format("train.seed={}", arguments.seed));
  options.out = arguments.out.empty() ? default_run_folder(options.config)
                                      : std::filesystem::path(arguments.out);
  options.cache = arguments.cache;
  options.threads = start(arguments.threads);
  if (arguments.dry_run) {
    fmt::print("{}", dry_run(options));
    return 0;
  }
  const auto result = run(options);
  fmt::print("{}\n", result.summary);
  log_info("{}: {}", options.out.string(),
           result.was_finished ? "this run is finished already" : "finished");
  return 0;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("run",
                         "Learn a sequence of tasks, forgetting the classes that requests name.\n"
                         "example: lethe run demo --set method.name=lwf_star --out runs/lwf_star");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("CONFIG", arguments->run.config,
                      "a TOML file or the name of a preset; see `lethe list presets`");
  command
      ->add_option("--set", arguments->run.sets,
                   "override one key, e.g. train.lr=0.05; may stand several times")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "the run directory [runs/<config name>]")
      ->type_name("DIR");
  command
      ->add_option("--seed", arguments->seed,
                   "weights, order and augmentation; short for --set train.seed=N")
      ->check(kSeed)
      ->type_name("N");
  add_threads(*command, arguments->threads);
  command
      ->add_option("--cache", arguments->cache,
                   "share first tasks that methods train identically through this folder")
      ->type_name("DIR");
  command->add_flag("--resume", arguments->run.resume,
                    "continue from the newest checkpoint in the run directory");
  command->add_flag("--dry-run", arguments->dry_run,
                    "print plan, sizes and an estimate of time and disk; do nothing");
  command->add_flag("--help-config", arguments->help_config,
                    "print every configuration key and end");
  command->callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
