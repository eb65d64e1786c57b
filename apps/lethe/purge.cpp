#include "lethe/record/purge.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "apps/lethe/commands.h"
#include "lethe/core/text.h"
#include "lethe/record/history.h"
#include "lethe/record/ledger.h"
#include "lethe/record/recover.h"
#include "lethe/record/run_folder.h"
#include "lethe/record/scan.h"
#include "lethe/record/verify.h"
#include "lethe/run/erase_forgotten.h"

namespace lethe::app {

namespace {

struct Arguments {
  std::string run;
  bool apply = false;
  int threads = 0;
  PurgeOptions options;
};

int execute(const Arguments& arguments) {
  const std::filesystem::path run = arguments.run;
  verify_run(run);                  // throws if it is not a run directory
  std::optional<RunFolder> folder;  // locks the run; a look at it needs no lock
  if (arguments.apply) folder.emplace(run, /*resume=*/true).keep();
  auto left = find_leftovers(run, arguments.options);
  const bool is_clean = left.files.empty() && left.classes.empty();
  if (arguments.apply) {
    recover_run(run);
    require_intact(run);
    if (!left.classes.empty()) {
      const auto event = Ledger(run).last_event() + 1;
      erase_forgotten(run, left.classes, start(arguments.threads));
      fmt::print("{}", erasure_text(Ledger(run), event));
      left = find_leftovers(run, arguments.options);
    }
  }
  for (const auto& name : left.classes)
    fmt::print("would be erased from the newest model: {}\n", visible(name));
  for (const auto& version : left.their_versions) fmt::print("would be removed: {}\n", version);
  for (const auto& file : left.files)
    fmt::print("{}: {}\n", arguments.apply ? "removed" : "would be removed", file);
  if (arguments.apply) remove_leftovers(run, arguments.options);
  for (const auto& note : left.notes) fmt::print("note: {}\n", note);
  // Only files that lethe did not write are left for the scan to find.
  const auto found = scan_run(run).found;
  for (const auto& file : found) fmt::print("problem: {}; remove the file yourself\n", file);
  if (!is_clean && !arguments.apply) {
    fmt::print("nothing was changed; --apply erases and removes\n");
  } else if (is_clean && left.notes.empty() && found.empty()) {
    fmt::print(
        "nothing is left: no version knows an erased class, and no file has one of its rows\n");
  }
  if (arguments.apply) fmt::print("{}", head_text(Ledger(run)));
  return found.empty() ? 0 : 4;
}

}  // namespace

void add_purge(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "purge",
      "Show what is left of forgotten classes in a run; with --apply, erase and remove it.");
  command->footer("example: lethe purge runs/demo --apply");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("RUN", arguments->run, "a run directory")->required();
  command
      ->add_option("--classes", arguments->options.classes,
                   "purge only these classes, separated by commas")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  command->add_flag(
      "--apply", arguments->apply,
      "erase the classes from the newest model, remove the files, and write both into "
      "the ledger");
  command->add_flag(
      "--file-lists", arguments->options.file_lists,
      "also remove the lists of image files in data/; lethe can then no longer notice "
      "changed images");
  add_threads(*command, arguments->threads);
  command->callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
