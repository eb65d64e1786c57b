// The subcommands: each declares its options on a CLI11 app and says what to do when it is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace lethe::app {

// Does the work of the chosen subcommand and returns the exit status. Set while parsing.
using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_suite(CLI::App& app, Action& action);
void add_data(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);

// Options that several subcommands have.
void add_sets(CLI::App& command, std::vector<std::string>& sets);
void add_threads(CLI::App& command, int& threads);

// Accepts a seed: a whole number that fits. (CLI11 2.1 lets a number overflow silently.)
extern const CLI::Validator kSeed;

// What several subcommands share: sets up LibTorch, prints with what, returns the number of
// threads.
int start(int threads);

}  // namespace lethe::app
