#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/lethe/commands.h"
#include "lethe/core/error.h"
#include "lethe/core/text.h"
#include "tools/suite/overview.h"
#include "tools/suite/run_suite.h"
#include "tools/suite/suite_file.h"

namespace lethe::app {

namespace {

struct Arguments {
  SuiteOptions suite;
  std::string out = "runs";
  std::string markdown;
  std::string data;
  std::string results;
  std::string cache;
  std::string overview;
  int threads = 0;
  bool help_file = false;
};

int execute(Arguments& arguments) {
  if (arguments.help_file) {
    fmt::print("{}", describe_suite_file());
    return 0;
  }
  auto& options = arguments.suite;
  if (!arguments.overview.empty()) {
    const auto results =
        arguments.results.empty() ? default_results() : std::filesystem::path(arguments.results);
    const auto records = write_overview(results, arguments.overview);
    fmt::print("{}: written from {} in {}\n", arguments.overview, counted(records, "record"),
               (results / "records").string());
    return 0;
  }
  if (options.name.empty())
    throw ConfigError("NAME is missing: a suite (see `lethe list suites`) or a TOML file");
  options.out = arguments.out;
  options.markdown = arguments.markdown;
  options.data = arguments.data;
  options.cache = arguments.cache;
  options.results = arguments.results;
  options.threads = start(arguments.threads);
  fmt::print("{}", run_suite(options));
  return 0;
}

}  // namespace

void add_suite(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("suite", "Execute a list of runs and print one table of results.");
  command->footer(
      "examples: lethe suite demo --seeds 0,1,2 --resume\n"
      "          lethe suite table1 --data /data --resume\n"
      "          lethe suite my.toml (docs/suites.md)");
  auto arguments = std::make_shared<Arguments>();
  auto& suite = arguments->suite;
  command->add_option("NAME", suite.name,
                      "a built-in suite (see `lethe list suites`) or a TOML file of your own");
  command
      ->add_option("--seeds", suite.seeds,
                   "seeds to run; several seeds give mean and standard deviation")
      ->delimiter(',')
      ->check(kSeed)
      ->default_str("0")
      ->type_name("N,...");
  command->add_option("--only", suite.only, "execute only these runs")
      ->delimiter(',')
      ->default_str("all")
      ->type_name("NAME,...");
  command->add_option("--profile", suite.profile, "profile to use, if the suite has several")
      ->default_str("the first")
      ->type_name("NAME");
  command->add_option("--datasets", suite.datasets, "use only these datasets")
      ->delimiter(',')
      ->default_str("all available")
      ->type_name("NAME,...");
  command
      ->add_option("--data", arguments->data,
                   "folder that contains the datasets in their official layout and the subfolder "
                   "weights/")
      ->envname("LETHE_DATA")
      ->type_name("DIR");
  add_sets(*command, suite.sets);
  command->add_option("--out", arguments->out, "folder for the run directories")
      ->capture_default_str()
      ->type_name("DIR");
  command->add_option("--markdown", arguments->markdown, "also write the table to this file")
      ->default_str("none")
      ->type_name("FILE");
  command
      ->add_option("--results", arguments->results,
                   "output folder for records/ and tables, for suites that keep records")
      ->default_str("docs/results if it exists, else results")
      ->type_name("DIR");
  command
      ->add_option("--cache", arguments->cache,
                   "folder that caches models after the first task and is shared between suites")
      ->default_str("a temporary folder, deleted when the suite is complete")
      ->type_name("DIR");
  add_threads(*command, arguments->threads);
  auto* resume =
      command->add_flag("--resume", suite.resume, "continue existing runs and skip finished ones");
  auto* from_records = command->add_flag("--from-records", suite.from_records,
                                         "run nothing; write the tables from existing records");
  for (const char* option : {"--only", "--seeds", "--datasets", "--set", "--resume"})
    from_records->excludes(command->get_option(option));
  command->add_flag("--overwrite", suite.overwrite, "replace existing runs of this suite")
      ->excludes(resume);
  auto* overview =
      command
          ->add_option("--overview", arguments->overview,
                       "run nothing; write the tables of all built-in suites from existing "
                       "records, and a page that lists their commands, times and results")
          ->type_name("FILE");
  for (const char* option : {"NAME", "--only", "--seeds", "--datasets", "--profile", "--set",
                             "--resume", "--overwrite", "--from-records", "--markdown"})
    overview->excludes(command->get_option(option));
  command->add_flag("--help-file", arguments->help_file,
                    "print every key of a suite file and exit");
  command->callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
