// A suite is a list of runs whose results are shown in one table. Each of them is an ordinary run;
// runs with an identical first task train it only once. A suite that keeps records writes one for
// every finished run and builds its tables from all existing records.
//
// Suites are files (suite_file.h): the built-in ones, and those that a user writes.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tools/suite/paper_values.h"

namespace lethe {

struct SuiteRun {
  std::string label;              // first column of the table
  std::string folder;             // "finetune" -> <out>/<suite>-finetune
  std::string method;             // empty = that of the configuration
  std::vector<std::string> sets;  // KEY=VALUE, applied after the sets of the dataset
};

// A dataset used by every run of a suite.
struct SuiteData {
  std::string name;    // in tables and folders; empty if there is only one
  std::string config;  // preset or file
  std::string folder;  // subfolder of --data; empty = the data.root of the configuration
  std::vector<std::string> weights;  // files in --data/weights: the first existing one is used
  std::vector<std::string> sets;     // KEY=VALUE, applied after the configuration
  std::vector<std::string> only;     // labels of the runs made on it; empty = all
  // By label of the run: KEY=VALUE, applied after the sets of the run.
  std::map<std::string, std::vector<std::string>> tuned;

  bool has(const SuiteRun& run) const {
    return only.empty() || std::find(only.begin(), only.end(), run.label) != only.end();
  }
};

struct SuiteProfile {
  std::string name;  // "cpu", "paper"; empty if there is only one
  std::vector<SuiteData> data;
};

struct Suite {
  std::string name;
  std::string summary;
  std::vector<SuiteProfile> profiles;  // the first is the default
  std::vector<SuiteRun> runs;
  bool keeps_records = false;
  std::string layout;              // see layouts.h
  std::string page;                // name of the page and its files, without ending
  std::vector<std::string> audit;  // checks of an audit after every run; empty = no audit
  PaperValues paper;               // published values to show beside the results
};

}  // namespace lethe
