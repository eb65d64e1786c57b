// Checks the configuration of every run of a suite before any of them starts.
#pragma once

#include <string>
#include <vector>

#include "tools/suite/suite.h"

namespace lethe {

// KEY=VALUE of a run, to apply after the sets of the dataset: its method, its changes, and the
// values tuned for it.
std::vector<std::string> sets_of(const SuiteRun& run, const SuiteData& data);

// "run 'lwf'", or "run 'lwf' on 'cub200'".
std::string name_of(const SuiteRun& run, const SuiteData& data);

// Performs the checks of configure() on every run, dataset and profile. Reads no data. Throws a
// ConfigError that begins with origin and names the run.
void check_configurations(const Suite& suite, const std::string& origin);

// A run that is about to be started.
struct PlannedRun {
  std::string name;               // for messages
  std::string config;             // preset or file
  std::vector<std::string> sets;  // KEY=VALUE
};

// Also performs the checks that depend on the dataset, for example whether the tasks fit its
// classes. Reads each dataset once. Throws ConfigError or DataError; the message begins with origin
// and names the run.
void check_runs(const std::vector<PlannedRun>& runs, const std::string& origin);

}  // namespace lethe
