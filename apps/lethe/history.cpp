#include "lethe/record/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/lethe/commands.h"
#include "lethe/core/text.h"
#include "lethe/method/codes/codes.h"
#include "lethe/record/ledger.h"
#include "lethe/record/purge.h"
#include "lethe/record/scan.h"
#include "lethe/record/verify.h"
#include "lethe/run/data_record.h"
#include "lethe/run/pending_event.h"
#include "lethe/run/replay.h"
#include "lethe/run/runner.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe::app {

namespace {

const CLI::Validator kHash(
    [](const std::string& text) -> std::string {
      const bool is_hash =
          text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
      return is_hash ? "" : "is not a hash of 64 hexadecimal digits: '" + text + "'";
    },
    "");

struct VerifyArguments {
  std::string run;
  std::optional<std::string> head;
  int threads = 0;
  bool replay = false;
};

// Whether a code was erased that anybody with config.toml can make again.
bool codes_follow_from_seed(const std::string& run) {
  RunConfig config;
  read_run_config(config, run);
  if (!config.method_recipe().has("method.code.salt") ||
      config.method_groups.get<CodeOptions>().salt != CodeSalt::kSeed)
    return false;
  const Ledger ledger(run);
  const auto lists_a_code = [](const nlohmann::ordered_json& parts) {
    return std::find(parts.begin(), parts.end(), "code") != parts.end();
  };
  return std::any_of(ledger.lines().begin(), ledger.lines().end(), [&](const auto& line) {
    if (!line.contains("erased")) return false;
    const auto& erased = line.at("erased");
    return std::any_of(erased.begin(), erased.end(), lists_a_code);
  });
}

int execute(const VerifyArguments& arguments) {
  const auto result = verify_run(arguments.run);
  auto problems = result.problems;
  const auto& heads = result.heads;
  if (arguments.head) {
    const auto found = std::find(heads.begin(), heads.end(), *arguments.head);
    if (found == heads.end()) {
      problems.push_back(fmt::format(
          "ledger.jsonl: has no line with the hash {}: lines were removed, or this is another run",
          *arguments.head));
    } else if (found + 1 != heads.end()) {
      fmt::print("note: {} after the given head\n",
                 counted(heads.end() - found - 1, "line of the ledger", "lines of the ledger"));
    }
  }
  if (arguments.replay && problems.empty()) {
    for (const auto& one : replay_run(arguments.run, start(arguments.threads))) {
      fmt::print("{}\n", one.text);
      if (one.answer == Replayed::Answer::kDifferent)
        problems.push_back(fmt::format("event {}: a repetition gave other bits", one.event));
    }
  }
  if (result.passed()) {
    const auto scan = scan_run(arguments.run);
    for (const auto& found : scan.found) problems.push_back(found);
    for (const auto& kept : scan.kept)
      fmt::print("note: {}; `lethe purge --apply` removes it\n", kept);
    if (scan.marks > 0 && codes_follow_from_seed(arguments.run))
      fmt::print(
          "note: the codes of erased classes can be made again from train.seed and the class "
          "number (method.code.salt = \"seed\")\n");
    if (scan.marks > 0)
      fmt::print("scan: {} of erased classes searched for in {}: {}\n", counted(scan.marks, "row"),
                 counted(scan.files, "file"),
                 scan.found.empty() && scan.kept.empty() ? "nothing found" : "found, see above");
  }
  auto notes = result.notes;
  if (result.passed()) {
    RunConfig config;
    read_run_config(config, arguments.run);
    for (auto& note : data_notes(arguments.run, Ledger(arguments.run), config.data))
      notes.push_back(std::move(note));
    const auto left = find_leftovers(arguments.run);
    for (const auto& file : left.files) {
      if (!file.starts_with(kVersions))  // the scan names versions
        notes.push_back(
            fmt::format("{} knows an erased class; `lethe purge --apply` removes it", file));
    }
    for (const auto& name : left.classes)
      notes.push_back(
          fmt::format("'{}' was forgotten, but it is still in the newest model; `lethe purge "
                      "--apply` erases it",
                      visible(name)));
  }
  for (const auto& problem : problems) fmt::print("problem: {}\n", problem);
  for (const auto& note : notes) fmt::print("note: {}\n", note);
  fmt::print("{}, {} of the run compared with the ledger: {}\nhead of the ledger: {}\n",
             counted(result.events, "event"), counted(result.files, "file"),
             problems.empty() ? "all as recorded"
                              : counted(static_cast<int64_t>(problems.size()), "problem"),
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
      if (const auto pending = pending_text(*run); !pending.empty())
        fmt::print("pending: {}\n", visible(pending));
      return 0;
    };
  });
}

void add_verify(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("verify",
                         "Check the files of a run against its ledger, and search them for "
                         "rows of erased classes.\n"
                         "The exit status is 4 if there is a problem: a file was changed, is "
                         "missing or should not exist, a row of an erased class was found, --head "
                         "is not in the ledger, or a repeated event gave other bits.");
  command->footer("example: lethe verify runs/demo");
  auto arguments = std::make_shared<VerifyArguments>();
  command->add_option("RUN", arguments->run, "a run directory")->required();
  command
      ->add_option("--head", arguments->head,
                   "a head that a command printed earlier; needed to notice removed last lines")
      ->check(kHash)
      ->type_name("HASH");
  command->add_flag(
      "--replay", arguments->replay,
      "repeat each event if the version before it still exists, and compare the bits");
  add_threads(*command, arguments->threads);
  command->callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
