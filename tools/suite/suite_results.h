// Input and output of a suite's layout: the records of its runs, and the tables made from them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/suite/paper_values.h"
#include "tools/suite/suite_record.h"

namespace lethe {

struct SuiteResults {
  std::string suite, profile;
  std::string page;                 // name of the files, without ending
  std::vector<std::string> data;    // in order
  std::vector<std::string> labels;  // in order
  std::vector<SuiteRecord> records;
  PaperValues paper;
  bool with_features = true;  // whether tables show the figures of the features
};

// A statement of the paper, and whether the runs on one dataset reproduce it.
struct Trend {
  std::string what;
  std::string verdict;  // "holds", "does not hold (one seed)", "undecided", "open"
  std::string details;  // the numbers behind it
};

struct DataTrends {
  std::string data;  // empty: all datasets together
  std::vector<Trend> trends;
};

struct SuiteDocument {
  std::string body;                                        // Markdown
  std::vector<std::pair<std::string, std::string>> files;  // ending (".csv", "-new.svg"), contents
  std::vector<DataTrends> trends = {};                     // those that the body lists
};

}  // namespace lethe
