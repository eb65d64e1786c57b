#include "lethe/run/suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/nearest.h"
#include "lethe/core/shell.h"
#include "lethe/core/system.h"
#include "lethe/method/registry.h"
#include "lethe/report/table.h"
#include "lethe/run/run_folder.h"
#include "lethe/run/runner.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

const Suite& find_suite(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& suite : builtin_suites()) {
    if (suite.name == name) return suite;
    known.push_back(suite.name);
  }
  throw_error<ConfigError>("unknown suite '{}'{}", name, choose_from(name, known));
}

std::vector<SuiteRun> chosen_runs(const Suite& suite, const std::vector<std::string>& only) {
  if (only.empty()) return suite.runs;
  std::vector<SuiteRun> runs;
  std::vector<std::string> known;
  for (const auto& run : suite.runs) known.push_back(run.label);
  for (const auto& label : only) {
    const auto found = std::find(known.begin(), known.end(), method_name(label));
    if (found == known.end()) {
      throw_error<ConfigError>("suite '{}' has no run '{}'{}", suite.name, label,
                               choose_from(label, known));
    }
    runs.push_back(suite.runs[static_cast<size_t>(found - known.begin())]);
  }
  return runs;
}

// What makes the rows and columns of the table is not for --set.
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
    throw_error<ConfigError>("--seeds: {} stands twice", *twice);
}

// The command line that made a table.
std::string command_of(const SuiteOptions& options) {
  std::string text =
      fmt::format("lethe suite {} --seeds {}", options.name, fmt::join(options.seeds, ","));
  if (!options.only.empty())
    text += " --only " + shell_quoted(fmt::format("{}", fmt::join(options.only, ",")));
  for (const auto& assignment : options.sets) text += " --set " + shell_quoted(assignment);
  return text;
}

// "87.3", or "87.3 +- 0.8" (mean and sample deviation) over several seeds.
std::string cell(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  if (values.size() == 1) return percent(mean);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return fmt::format("{} +- {}", percent(mean),
                     percent(std::sqrt(sum / static_cast<double>(values.size() - 1))));
}

}  // namespace

std::string run_suite(const SuiteOptions& options) {
  const auto& suite = find_suite(options.name);
  check_options(options);
  const auto runs = chosen_runs(suite, options.only);
  const fs::path cache = options.out / fmt::format(".{}-cache", suite.name);
  const auto folder_of = [&](const SuiteRun& run, int64_t seed) {
    const std::string suffix = options.seeds.size() > 1 ? fmt::format("-s{}", seed) : "";
    return options.out / fmt::format("{}-{}{}", suite.name, run.folder, suffix);
  };
  if (options.overwrite) {
    fs::remove_all(cache);
    for (const auto& run : runs) {
      for (const int64_t seed : options.seeds) remove_run(folder_of(run, seed));
    }
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& run : runs) {
    std::vector<double> a, f, s;
    for (const int64_t seed : options.seeds) {
      const auto folder = folder_of(run, seed);
      log_info("{} {}: {}", suite.name, run.label, folder.string());
      RunOptions one{.config = suite.preset,
                     .sets = run.sets,
                     .out = folder,
                     .resume = options.resume,
                     .threads = options.threads,
                     .cache = cache};
      one.sets.insert(one.sets.begin(), suite.sets.begin(), suite.sets.end());
      one.sets.push_back(fmt::format("train.seed={}", seed));
      one.sets.insert(one.sets.end(), options.sets.begin(), options.sets.end());
      const auto result = lethe::run(one);
      a.push_back(result.scores.a);
      f.push_back(result.scores.f);
      s.push_back(result.scores.s);
      log_info("\n{}", result.summary);
    }
    rows.push_back({run.label, cell(a), cell(f), cell(s)});
  }
  fs::remove_all(cache);
  const std::string table = markdown_table({"method", "A", "F", "S"}, rows);
  if (!options.markdown.empty()) {
    write_atomically(
        options.markdown,
        fmt::format(
            "# Suite {}\n\n{}. Written by `{} --markdown ...` (commit {}, LibTorch {}, {} "
            "thread{}).\n"
            "A: accuracy of kept classes, F: fall of accuracy of forgotten ones, S: their harmonic "
            "mean; percent{}.\n\n{}",
            suite.name, suite.summary, command_of(options), commit(), torch_version(),
            options.threads, options.threads == 1 ? "" : "s",
            options.seeds.size() > 1 ? ", mean and deviation over seeds" : "", table));
  }
  return table;
}

}  // namespace lethe
