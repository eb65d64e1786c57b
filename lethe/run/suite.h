// A suite is a list of runs whose results stand in one table. Each is an ordinary run; a first task
// that several train identically is trained once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

struct SuiteRun {
  std::string label;              // first column of the table
  std::string folder;             // "finetune" -> <out>/<suite>-finetune
  std::vector<std::string> sets;  // on top of the suite's preset
};

struct Suite {
  std::string name;
  std::string summary;
  std::string preset;
  std::vector<std::string> sets;  // on top of the preset, for every run
  std::vector<SuiteRun> runs;
};

const std::vector<Suite>& builtin_suites();  // builtin_suites.cpp

struct SuiteOptions {
  std::string name;
  std::filesystem::path out = "runs";
  std::vector<int64_t> seeds = {0};
  std::vector<std::string> only;  // labels; empty = all
  std::vector<std::string> sets;
  bool resume = false;     // go on with runs that are there
  bool overwrite = false;  // replace them
  int threads = 1;
  std::filesystem::path markdown;  // also write the table there, with its setting
};

// Returns the table. Throws as run() does.
std::string run_suite(const SuiteOptions& options);

}  // namespace lethe
