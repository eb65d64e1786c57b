// A [[run]] of a suite file, and the runs that it describes.
#pragma once

#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "tools/suite/suite.h"

namespace lethe {

struct GridKey {
  std::string key;
  std::vector<std::string> values;
};

struct RunRow {
  std::string label, folder;
  std::vector<std::string> values;
};

struct RunEntry {
  std::string method;
  std::vector<std::string> methods;
  bool all_methods = false;
  std::string label, folder;
  std::vector<std::string> set;
  std::string section;
  std::vector<std::vector<std::string>> choices;  // assignments of each run
  std::vector<GridKey> grid;
  std::vector<std::string> keys;
  std::vector<RunRow> rows;
};

// The keys of a [[run]].
Fields config_fields(RunEntry& entry);

// The runs of an entry, in which all_methods is already replaced. A run is named after its method
// and the settings it changes: "lwf* lambda=20" in the folder lwf_star-lambda-20. Throws a
// ConfigError that begins with origin if keys of the entry contradict each other.
std::vector<SuiteRun> runs_of(const RunEntry& entry, const std::string& origin);

}  // namespace lethe
