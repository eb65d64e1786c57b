// The LedgerKeeper listens to the trainer and completes its events: when the version of an event is
// on disk, it writes the line of the event into the ledger and then removes the versions that must
// not stay.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lethe/metrics/scores.h"
#include "lethe/metrics/verdict.h"
#include "lethe/record/keep_options.h"
#include "lethe/record/ledger.h"
#include "lethe/record/request_record.h"
#include "lethe/trainer/events.h"

namespace lethe {

struct LedgerOptions {
  std::string method;
  int64_t seed = 0;
  int threads = 1;
  VerdictOptions verdict = {};
  KeepOptions keep = {};
  // Keys for the line of an event, e.g. the reason of a request and the data that it used.
  nlohmann::ordered_json extra = nlohmann::ordered_json::object();
};

// The program that writes a line: versions, CPU and threads, which determine the bits of a result.
nlohmann::ordered_json program_record(int threads);

class LedgerKeeper : public Listener {
 public:
  // table belongs to the recorder, which must be notified before. All references must outlive the
  // keeper.
  LedgerKeeper(const std::filesystem::path& run, const TaskPlan& plan, const ScoreTable& table,
               LedgerOptions options);

  // Removes all lines and writes the first one, event 0: the configuration, the classes of the
  // dataset and the program.
  void start(const DatasetInfo& info,
             const nlohmann::ordered_json& more = nlohmann::ordered_json::object());

  // The classes to erase at the end of this event: those whose requests were carried out.
  ClassSet carried_out(const TaskDone& event) const;

  // The same for all requests up to this event, judged with the current evaluation.
  ClassSet carried_out_so_far(const TaskDone& event) const;

  // Writes the line of the first task, which was copied from a cache instead of being trained.
  void adopt_first_task(int64_t step_count, int64_t images);

  // Called when the version of an event is complete, before its line is written. Returns more keys
  // for the line. Not set = none.
  std::function<nlohmann::ordered_json(const VersionWritten&)> before_commit;

  void on(const TaskStarted& event) override;
  void on(const TaskDone& event) override;
  void on(const VersionWritten& event) override;  // writes the line
  void on(const EventComplete& event) override;   // removes what must not stay

  const Ledger& ledger() const { return ledger_; }
  const TaskPlan& plan() const { return plan_; }

 private:
  nlohmann::ordered_json line_of(const VersionWritten& event) const;
  std::vector<std::string> to_remove() const;

  std::filesystem::path run_;
  const TaskPlan& plan_;
  const ScoreTable& table_;
  LedgerOptions options_;
  Ledger ledger_;
  std::string asked_;  // when the event began
  // When this process began with the event: an interrupted event counts from its last start.
  std::optional<std::chrono::steady_clock::time_point> begun_;
  std::optional<TaskDone> done_;
};

}  // namespace lethe
