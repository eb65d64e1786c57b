// The version of a run that is audited, with everything that an audit needs of the run.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "lethe/metrics/scores.h"
#include "lethe/record/ledger.h"
#include "lethe/run/experiment.h"
#include "lethe/run/run_config.h"

namespace lethe {

// What the ledger says of a forgotten class.
struct ForgottenClass {
  ClassId id = 0;
  int64_t event = 0;        // the event that carried the request out
  std::string verdict;      // at its end
  double before = 0;        // accuracy before the request
  double after = 0;         // accuracy at the end of the event, with its row in place
  bool was_learned = true;  // before the request
};

struct Subject {
  std::filesystem::path run;
  int64_t version = 0;
  std::filesystem::path folder;  // of the version
  std::string model_hash;
  Task task;        // the event that wrote the version, without erased classes
  ClassSet erased;  // from this version
  std::vector<ForgottenClass> forgotten;  // by this version, ascending
  ClassSet kept;                          // all others that it has seen, without background
  std::unique_ptr<ScoreTable> scores;     // the recorded evaluations
  double request_seconds = 0;             // of the events that carried out requests

  ClassSet forgotten_set() const;
  const ForgottenClass* find(ClassId id) const;
};

// The audited run, opened. config must outlive the rest.
struct OpenedRun {
  RunConfig config;
  std::unique_ptr<Ledger> ledger;
  Experiment experiment;

  const TaskPlan& plan() const { return *experiment.plan; }
};

// data: other images than those of the run's configuration (a configuration, preset or folder);
// empty = those. Throws DataError if the run was changed, or ConfigError if it is not finished.
std::unique_ptr<OpenedRun> open_run(const std::filesystem::path& run, const std::string& data);

// version 0 = the newest. Throws ConfigError if there is no such version, or if nothing was
// forgotten by then.
Subject open_subject(const OpenedRun& opened, const std::filesystem::path& run, int64_t version);

// Whether the version has forgotten a class.
bool has_forgotten(const std::filesystem::path& run, int64_t version);

// The network of a version, in evaluation mode.
std::shared_ptr<Network> load_version(const OpenedRun& opened, const std::filesystem::path& run,
                                      int64_t version);

// The network as it was before the first event: random or pretrained weights, with the heads of all
// events up to the version. Null if the file of the pretrained weights is gone.
std::shared_ptr<Network> load_start(const OpenedRun& opened, int64_t version);

// The newest version before an event, if its folder still exists: what the request began with.
std::optional<int64_t> version_before(const std::filesystem::path& run, int64_t event);

}  // namespace lethe
