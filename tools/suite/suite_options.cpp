#include "tools/suite/suite_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/shell.h"
#include "lethe/run/run_config.h"

namespace lethe {

namespace {

// Options without a value on the command line are left out.
void add(std::string& command, const char* option, const std::string& value) {
  if (!value.empty()) command += fmt::format(" {} {}", option, shell_quoted(value));
}

// "lethe suite NAME" with the options that choose its runs.
std::string choice_of(const std::string& name, const SuiteOptions& options) {
  std::string text = "lethe suite " + shell_quoted(name);
  add(text, "--profile", options.profile);
  add(text, "--datasets", fmt::format("{}", fmt::join(options.datasets, ",")));
  add(text, "--seeds", fmt::format("{}", fmt::join(options.seeds, ",")));
  add(text, "--only", fmt::format("{}", fmt::join(options.only, ",")));
  return text;
}

}  // namespace

void check_options(const SuiteOptions& options) {
  for (const auto& assignment : options.sets) {
    const auto key = assignment.substr(0, assignment.find('='));
    if (key == "train.seed")
      throw ConfigError("--set train.seed: a suite takes its seeds from --seeds");
    if (key == "method.name")
      throw ConfigError("--set method.name: a suite has its own methods; choose with --only");
  }
  auto seeds = options.seeds;
  std::sort(seeds.begin(), seeds.end());
  if (const auto twice = std::adjacent_find(seeds.begin(), seeds.end()); twice != seeds.end())
    throw_error<ConfigError>("--seeds: {} is given twice", *twice);
}

std::string published_name(const SuiteOptions& options) {
  return std::filesystem::path(options.name).filename().string();
}

std::string command_of(const SuiteOptions& options) {
  std::string text = choice_of(published_name(options), options);
  if (!options.data.empty()) text += " --data DIR";
  for (const auto& assignment : options.sets) add(text, "--set", without_own_path(assignment));
  return text;
}

std::string resume_command(const SuiteOptions& options) {
  std::string text = choice_of(options.name, options);
  for (const auto& assignment : options.sets) add(text, "--set", assignment);
  add(text, "--data", options.data.string());
  add(text, "--out", options.out.string());
  add(text, "--results", options.results.string());
  add(text, "--cache", options.cache.string());
  add(text, "--markdown", options.markdown.string());
  return text + fmt::format(" --threads {} --resume", options.threads);
}

}  // namespace lethe
