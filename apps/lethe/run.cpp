#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "apps/lethe/commands.h"
#include "lethe/audit/references.h"
#include "lethe/audit/verdict.h"
#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/system.h"
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
  std::string help_config;  // "" = not asked for
};

constexpr const char* kCommonKeys = "common";
constexpr const char* kAllKeys = "all";

int print_config_help(const std::string& detail) {
  RunConfig config;
  const auto fields = config.fields();
  if (detail == kAllKeys) {
    fmt::print("{}", describe(fields, HelpDetail::kAll));
    return 0;
  }
  const auto common =
      std::count_if(fields.begin(), fields.end(), [](const Field& field) { return field.common; });
  fmt::print(
      "{}\nThese are the {} most common of {} keys. `lethe run --help-config all` shows all.\n",
      describe(fields, HelpDetail::kCommon), common, fields.size());
  return 0;
}

int execute(Arguments& arguments) {
  if (!arguments.help_config.empty()) return print_config_help(arguments.help_config);
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
  options.after_event = [&](const RunConfig& config, int64_t event) {
    if (!config.audit.after_each_event || !has_forgotten(options.out, event)) return;
    const auto record = audit_version(
        {.run = options.out, .version = event, .threads = options.threads}, config.audit,
        trained_oracles(config.audit, {.side_by_side = physical_cores()}));
    write_audit(options.out, record);
    log_lines(summary_of(record));
  };
  const auto result = run(options);
  fmt::print("{}\n", result.summary);
  log_info("{}: {}", options.out.string(), result.was_finished ? "already finished" : "finished");
  return result.not_forgotten.empty() ? 0 : 4;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("run", "Learn a sequence of tasks and forget the requested classes.");
  command->footer("example: lethe run demo --set method.name=lwf_star --out runs/lwf_star");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("CONFIG", arguments->run.config,
                      "a TOML file or the name of a preset; see `lethe list presets`");
  add_sets(*command, arguments->run.sets);
  command->add_option("--out", arguments->out, "the run directory")
      ->default_str("runs/<config name>")
      ->type_name("DIR");
  command
      ->add_option("--seed", arguments->seed,
                   "random seed for weights, shuffling and augmentation; same as --set "
                   "train.seed=N")
      ->check(kSeed)
      ->default_str("0")
      ->type_name("N");
  add_threads(*command, arguments->threads);
  command
      ->add_option("--cache", arguments->cache,
                   "folder that caches models after the first task, so that runs with the same "
                   "first task can share them; erasing a class of the first task removes this "
                   "run's model from it, unless forget.keep_before = true")
      ->default_str("none")
      ->type_name("DIR");
  command->add_flag("--resume", arguments->run.resume,
                    "continue an interrupted run: from its newest version or partial checkpoint");
  command->add_flag("--dry-run", arguments->dry_run,
                    "print the learning settings, the task plan, the model and dataset sizes, and "
                    "the estimated time and disk space, then exit");
  command
      ->add_option("--help-config", arguments->help_config,
                   "print the common configuration keys, or all of them, and exit")
      ->expected(0, 1)
      ->check(CLI::IsMember({kCommonKeys, kAllKeys}))
      ->default_str(kCommonKeys)  // passed if the option has no value
      ->type_name(kAllKeys);
  command->callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
