// The options of `lethe suite`, and the command lines they stand for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

struct SuiteOptions {
  std::string name;     // of a built-in suite, or a file
  std::string profile;  // empty = the suite's first
  std::filesystem::path out = "runs";
  std::vector<int64_t> seeds = {0};
  std::vector<std::string> only;      // labels or folders of runs; empty = all
  std::vector<std::string> datasets;  // empty = all available
  std::vector<std::string> sets;
  std::filesystem::path data;   // folder that contains the datasets and weights/
  std::filesystem::path cache;  // persistent cache of first tasks; empty = a temporary one
  bool resume = false;          // continue existing runs
  bool overwrite = false;       // replace existing runs
  bool from_records = false;    // run nothing; build the table from existing records
  int threads = 1;
  std::filesystem::path markdown;  // also write the table and its settings to this file
  // For suites that keep records: contains records/, NAME.md, ... Empty = docs/results if it
  // exists, otherwise results.
  std::filesystem::path results;
};

// --set must not change what distinguishes the rows and columns of the table, and a seed must not
// be given twice. Throws ConfigError.
void check_options(const SuiteOptions& options);

// A suite as a published command shows it: its name, or its file without the folder.
std::string published_name(const SuiteOptions& options);

// The command line that produced a table, without the paths of this machine.
std::string command_of(const SuiteOptions& options);

// The command line that continues an interrupted suite.
std::string resume_command(const SuiteOptions& options);

}  // namespace lethe
