#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/lethe/commands.h"
#include "lethe/run/data_check.h"

namespace lethe::app {

void add_data(CLI::App& app, Action& action) {
  struct Arguments {
    std::string what;
    std::vector<std::string> sets;
  };
  auto* command = app.add_subcommand("data", "Look at data sets.");
  command->require_subcommand(1);
  auto* check = command->add_subcommand(
      "check",
      "Read a data set whole; say what is in it, or what is wrong (exit status 3).\n"
      "example: lethe data check ~/data/cifar-100-binary");
  auto arguments = std::make_shared<Arguments>();
  check
      ->add_option("CONFIG_OR_PATH", arguments->what,
                   "a configuration, a preset, a data folder, or the name of a data set")
      ->required();
  add_sets(*check, arguments->sets);
  check->callback([arguments, &action] {
    action = [arguments] {
      fmt::print("{}", check_data(arguments->what, arguments->sets));
      return 0;
    };
  });
}

}  // namespace lethe::app
