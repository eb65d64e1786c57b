#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/lethe/commands.h"
#include "lethe/run/data_check.h"
#include "lethe/run/data_prepare.h"

namespace lethe::app {

namespace {

constexpr const char* kSource = "a configuration, a preset, a data folder, or a dataset name";

void add_check(CLI::App& data, Action& action) {
  auto* check = data.add_subcommand(
      "check", "Read a whole dataset and print a summary, or report errors (exit status 3).");
  check->footer("example: lethe data check ~/data/birds --sheet birds.png");
  auto options = std::make_shared<DataCheckOptions>();
  check->add_option("CONFIG_OR_PATH", options->config_or_path, kSource)->required();
  add_sets(*check, options->sets);
  check
      ->add_option("--sheet", options->sheet,
                   "write a contact sheet (PNG): samples of up to 12 classes after augmentation")
      ->default_str("none")
      ->type_name("FILE.png");
  check->callback([options, &action] {
    action = [options] {
      fmt::print("{}", check_data(*options));
      return 0;
    };
  });
}

void add_prepare(CLI::App& data, Action& action) {
  auto* prepare = data.add_subcommand(
      "prepare",
      "Decode and resize a dataset of image files once and store it, for faster training.\n"
      "The output folder is created atomically.");
  prepare->footer("example: lethe data prepare birds.toml --out /fast/birds");
  auto options = std::make_shared<DataPrepareOptions>();
  prepare->add_option("CONFIG_OR_PATH", options->config_or_path, kSource)->required();
  add_sets(*prepare, options->sets);
  prepare->add_option("--out", options->out, "the folder to write")
      ->default_str("data.prepared of the configuration")
      ->type_name("DIR");
  prepare->callback([options, &action] {
    action = [options] {
      fmt::print("{}", prepare_data(*options));
      return 0;
    };
  });
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("data", "Check and prepare datasets.");
  command->require_subcommand(1);
  command->footer(
      "examples: lethe data check ~/data/birds --sheet birds.png\n"
      "          lethe data prepare birds.toml --out /fast/birds");
  add_check(*command, action);
  add_prepare(*command, action);
}

}  // namespace lethe::app
