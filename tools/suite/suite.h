// A suite is a list of runs whose results stand in one table. Each is an ordinary run; a first task
// that several train identically is trained once. A suite that keeps records writes one for every
// finished run and makes its tables of all that are there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/suite/suite_record.h"

namespace lethe {

struct SuiteRun {
  std::string label;              // first column of the table
  std::string folder;             // "finetune" -> <out>/<suite>-finetune
  std::vector<std::string> sets;  // on top of the configuration
};

// A data set that every run of a suite is made on.
struct SuiteData {
  std::string name;         // in tables and folders; empty if there is only one
  std::string preset;       // its configuration
  std::string folder = {};  // below --data; empty = the preset finds its data by itself
  std::vector<std::string> weights = {};  // below --data/weights: the first that is there is used
  std::vector<std::string> sets = {};     // on top of the preset
  std::map<std::string, std::vector<std::string>> tuned = {};  // by label: what was searched for it
};

struct SuiteProfile {
  std::string name;  // "cpu", "paper"; empty if there is only one
  std::vector<SuiteData> data;
};

// What a suite's tables are made of.
struct SuiteResults {
  std::string suite, profile;
  std::vector<std::string> data;    // in order
  std::vector<std::string> labels;  // in order
  std::vector<SuiteRecord> records;
};

struct SuiteDocument {
  std::string body;                                        // Markdown
  std::vector<std::pair<std::string, std::string>> files;  // ending, text: ".csv", ".svg"
};

struct Suite {
  std::string name;
  std::string summary;
  std::vector<SuiteProfile> profiles;  // the first is the default
  std::vector<std::string> sets;       // on top of the configuration, for every run
  std::vector<SuiteRun> runs;
  bool keeps_records = false;
  SuiteDocument (*layout)(const SuiteResults&) = nullptr;  // null: A, F, S of every run
};

const std::vector<Suite>& builtin_suites();  // builtin_suites.cpp

struct SuiteOptions {
  std::string name;
  std::string profile;  // empty = the suite's first
  std::filesystem::path out = "runs";
  std::vector<int64_t> seeds = {0};
  std::vector<std::string> only;      // labels; empty = all
  std::vector<std::string> datasets;  // empty = all that are there
  std::vector<std::string> sets;
  std::filesystem::path data;   // where data sets and weights/ lie
  std::filesystem::path cache;  // of first tasks, kept; empty = one of the suite's own, removed
  bool resume = false;          // go on with runs that are there
  bool overwrite = false;       // replace them
  bool from_records = false;    // run nothing: the table of what is recorded
  int threads = 1;
  std::filesystem::path markdown;  // also write the table there, with its setting
  // Of a suite that keeps records: <results>/records, NAME.md, ... Empty = docs/results if that is
  // here, else results.
  std::filesystem::path results;
};

// Returns the table. Throws as run() does.
std::string run_suite(SuiteOptions options);

}  // namespace lethe
