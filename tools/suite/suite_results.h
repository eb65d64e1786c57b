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
  std::vector<std::string> data;    // in order
  std::vector<std::string> labels;  // in order
  std::vector<SuiteRecord> records;
  PaperValues paper;
  bool with_features = true;  // whether tables show the figures of the features
};

struct SuiteDocument {
  std::string body;                                        // Markdown
  std::vector<std::pair<std::string, std::string>> files;  // ending (".csv", "-new.svg"), contents
};

}  // namespace lethe
