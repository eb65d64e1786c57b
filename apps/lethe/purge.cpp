#include "lethe/record/purge.h"

#include <fmt/format.h>

#include <memory>

#include "apps/lethe/commands.h"
#include "lethe/record/ledger.h"
#include "lethe/record/recover.h"
#include "lethe/record/run_folder.h"
#include "lethe/record/scan.h"
#include "lethe/record/verify.h"

namespace lethe::app {

namespace {

struct Arguments {
  std::string run;
  bool apply = false;
  PurgeOptions options;
};

int execute(const Arguments& arguments) {
  verify_run(arguments.run);  // throws if it is not a run directory
  RunFolder folder(arguments.run, /*resume=*/true);
  folder.keep();
  const auto left = find_leftovers(arguments.run, arguments.options);
  if (arguments.apply) {
    recover_run(arguments.run);
    require_intact(arguments.run);
  }
  for (const auto& file : left.files)
    fmt::print("{}: {}\n", arguments.apply ? "removed" : "would be removed", file);
  if (arguments.apply) purge_run(arguments.run, arguments.options);
  for (const auto& note : left.notes) fmt::print("note: {}\n", note);
  // Only files that lethe did not write are left for the scan to find.
  const auto found = scan_run(arguments.run).found;
  for (const auto& file : found) fmt::print("problem: {}; remove the file yourself\n", file);
  if (!left.files.empty() && !arguments.apply) {
    fmt::print("nothing was changed; --apply removes these files\n");
  } else if (left.files.empty() && left.notes.empty() && found.empty()) {
    fmt::print("no file of the run directory knows an erased class\n");
  }
  if (arguments.apply) fmt::print("head of the ledger: {}\n", Ledger(arguments.run).head());
  return found.empty() ? 0 : 4;
}

}  // namespace

void add_purge(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "purge",
      "Show what is left of erased classes in the files of a run; with --apply, remove it.");
  command->footer("example: lethe purge runs/demo --apply");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("RUN", arguments->run, "a run directory")->required();
  command
      ->add_option("--classes", arguments->options.classes,
                   "only what is left of these classes, separated by commas")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  command->add_flag("--apply", arguments->apply,
                    "remove the files and write the removal into the ledger");
  command->add_flag("--file-lists", arguments->options.file_lists,
                    "also the lists of image files in data/; changes of the images can then no "
                    "longer be noticed");
  command->callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
