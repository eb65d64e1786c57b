// Runs of a suite, named by what distinguishes them.
#pragma once

#include <string>
#include <vector>

#include "tools/suite/suite.h"

namespace lethe {

// A run of a method, possibly with settings of its own; what distinguishes it stands in the label.
SuiteRun run_of(const std::string& method, const std::string& change = "",
                std::vector<std::string> sets = {});

// One key changed: "lambda_d=3" of a section.
SuiteRun changed(const std::string& method, const std::string& section, const std::string& change,
                 std::vector<std::string> more = {});

// Values of one weight of a method to choose from, on held-out images.
struct WeightSearch {
  std::string method;
  std::string key;
  std::vector<std::string> values;
};
std::vector<SuiteRun> search_runs(const std::vector<WeightSearch>& searches);

}  // namespace lethe
