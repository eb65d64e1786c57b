#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/lethe/commands.h"
#include "lethe/run/evaluate_run.h"

namespace lethe::app {

namespace {

struct Arguments {
  std::string run;
  int64_t task = 0;
  int threads = 0;
  bool json = false;
};

// One line; null for a score that is not defined. A_all is never defined in segmentation.
std::string json_line(const EvalResult& result) {
  using nlohmann::ordered_json;
  const auto& s = result.scores;
  const auto score = [](bool defined, double value) {
    return defined ? ordered_json(value) : ordered_json(nullptr);
  };
  const ordered_json line = {{"task", result.task},
                             {"A", score(s.has_a, s.a)},
                             {"A_all", score(s.a_all.has_value(), s.a_all.value_or(0))},
                             {"F", score(s.has_f, s.f)},
                             {"S", score(s.has_f && s.has_a, s.s)},
                             {"equal", result.same}};
  return line.dump();
}

int execute(const Arguments& arguments) {
  start(arguments.threads);
  const auto result = evaluate_run(arguments.run, arguments.task);
  fmt::print("{}", arguments.json ? json_line(result) + '\n' : result.text);
  return result.same ? 0 : 4;
}

}  // namespace

void add_eval(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "eval",
      "Re-evaluate the model of a run and compare the scores with the recorded ones.\n"
      "The exit status is 4 if the scores differ.");
  command->footer("example: lethe eval runs/demo --task 1");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("RUN", arguments->run, "a run directory")->required();
  command->add_option("--task", arguments->task, "evaluate the model saved after task N")
      ->check(kPositive)
      ->default_str("the last task")
      ->type_name("N");
  add_threads(*command, arguments->threads);
  command->add_flag("--json", arguments->json, "print one line of JSON instead of tables");
  command->callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
