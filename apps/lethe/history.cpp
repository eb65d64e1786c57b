#include "lethe/record/history.h"

#include <fmt/format.h>

#include <memory>

#include "apps/lethe/commands.h"
#include "lethe/record/verify.h"

namespace lethe::app {

namespace {

struct VerifyArguments {
  std::string run;
  std::string head;
};

int execute(const VerifyArguments& arguments) {
  const auto result = verify_run(arguments.run);
  auto problems = result.problems;
  if (!arguments.head.empty() && arguments.head != result.head)
    problems.push_back(fmt::format(
        "ledger.jsonl: its head is {}, not {}: lines were removed, or this is another run",
        result.head, arguments.head));
  for (const auto& problem : problems) fmt::print("problem: {}\n", problem);
  for (const auto& note : result.notes) fmt::print("note: {}\n", note);
  fmt::print("{} events, {} files compared with the ledger: {}\nhead of the ledger: {}\n",
             result.events, result.files,
             problems.empty() ? "all as recorded" : fmt::format("{} problems", problems.size()),
             result.head);
  return problems.empty() ? 0 : 4;
}

}  // namespace

void add_history(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "history", "Print the ledger of a run: what was learned, forgotten, erased and removed.");
  command->footer("example: lethe history runs/demo");
  auto run = std::make_shared<std::string>();
  command->add_option("RUN", *run, "a run directory")->required();
  command->callback([run, &action] {
    action = [run] {
      fmt::print("{}", history_text(*run));
      return 0;
    };
  });
}

void add_verify(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("verify",
                                     "Check the files of a run against its ledger.\n"
                                     "The exit status is 4 if a file was changed or is missing.");
  command->footer("example: lethe verify runs/demo");
  auto arguments = std::make_shared<VerifyArguments>();
  command->add_option("RUN", arguments->run, "a run directory")->required();
  command
      ->add_option("--head", arguments->head,
                   "the head hash that a command printed earlier; without it, removed last lines "
                   "of the ledger cannot be noticed")
      ->type_name("HASH");
  command->callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
