#include "tools/suite/suite.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/lethe/commands.h"

namespace lethe::app {

namespace {

struct Arguments {
  SuiteOptions suite;
  std::string out = "runs";
  std::string markdown;
  std::string data;
  std::string results;
  std::string cache;
  int threads = 0;
};

int execute(Arguments& arguments) {
  auto& options = arguments.suite;
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
  auto* command = app.add_subcommand("suite",
                                     "Run a list of runs and print their results as one table.\n"
                                     "examples: lethe suite demo --seeds 0,1,2 --resume\n"
                                     "          lethe suite table1 --data /data --resume");
  auto arguments = std::make_shared<Arguments>();
  auto& suite = arguments->suite;
  command->add_option("NAME", suite.name, "see `lethe list suites`")->required();
  command
      ->add_option("--seeds", suite.seeds, "one run per seed; several give mean and deviation [0]")
      ->delimiter(',')
      ->check(kSeed)
      ->type_name("N,...");
  command->add_option("--only", suite.only, "some of the runs")
      ->delimiter(',')
      ->type_name("NAME,...");
  command->add_option("--profile", suite.profile, "of a suite that has several [its first]")
      ->type_name("NAME");
  command->add_option("--datasets", suite.datasets, "some of the data sets [all that are there]")
      ->delimiter(',')
      ->type_name("NAME,...");
  command
      ->add_option("--data", arguments->data,
                   "where the data sets lie in their official folders, and weights/")
      ->envname("LETHE_DATA")
      ->type_name("DIR");
  add_sets(*command, suite.sets);
  command->add_option("--out", arguments->out, "where the run directories go")
      ->capture_default_str()
      ->type_name("DIR");
  command->add_option("--markdown", arguments->markdown, "also write the table to this file")
      ->type_name("FILE");
  command
      ->add_option("--results", arguments->results,
                   "where a suite that keeps records puts records/ and its tables "
                   "[docs/results if it is here, else results]")
      ->type_name("DIR");
  command
      ->add_option("--cache", arguments->cache,
                   "share first tasks with other suites through this folder and keep it "
                   "[a folder of the suite's own, removed once a call has run the whole suite]")
      ->type_name("DIR");
  add_threads(*command, arguments->threads);
  auto* resume = command->add_flag("--resume", suite.resume,
                                   "go on with runs that are there, skip finished ones");
  auto* from_records = command->add_flag("--from-records", suite.from_records,
                                         "run nothing, write the tables of all that is recorded");
  for (const char* option : {"--only", "--seeds", "--datasets", "--set", "--resume"})
    from_records->excludes(command->get_option(option));
  command->add_flag("--overwrite", suite.overwrite, "replace this suite's own runs")
      ->excludes(resume);
  command->callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
