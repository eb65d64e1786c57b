// The subcommands: each declares its CLI11 options and the action to run when it is selected.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace lethe::app {

// Runs the selected subcommand and returns the exit status. Set while parsing.
using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_forget(CLI::App& app, Action& action);
void add_learn(CLI::App& app, Action& action);
void add_history(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_purge(CLI::App& app, Action& action);
void add_suite(CLI::App& app, Action& action);
void add_data(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_oracle(CLI::App& app, Action& action);
void add_help(CLI::App& app, Action& action);

// Options shared by several subcommands.
void add_sets(CLI::App& command, std::vector<std::string>& sets);
void add_threads(CLI::App& command, int& threads);

// Accepts a seed: an integer that fits. (CLI11 2.1 lets a number overflow silently.)
extern const CLI::Validator kSeed;

// Accepts an integer of at least 1. (The message of CLI::PositiveNumber has 309 digits.)
extern const CLI::Validator kPositive;

// Common setup: configures LibTorch, logs the environment, returns the number of threads.
int start(int threads);

// The command that these words name, e.g. {"data", "check"}. Throws ConfigError for an unknown one.
CLI::App& find_command(CLI::App& app, const std::vector<std::string>& words);

}  // namespace lethe::app
