// The Recorder hears the trainer and keeps the run's record: metrics.jsonl (steps, epochs,
// evaluations, scores), requests.jsonl (the ledger), matrix.csv and per_class.csv. On resume
// everything is cut back to the checkpoint. Wall time stands under the key "time" only: all else is
// the same for the same run.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lethe/core/files.h"
#include "lethe/metrics/scores.h"
#include "lethe/record/ledger.h"
#include "lethe/trainer/events.h"

namespace lethe {

class Recorder : public Listener {
 public:
  // Opens the files of the run directory. The plan outlives the recorder.
  Recorder(const std::filesystem::path& run, const TaskPlan& plan, const MetricOptions& metric,
           int64_t log_steps, LedgerOptions ledger);
  ~Recorder() override;

  // Empties the files: a run that starts from the beginning.
  void start_afresh();

  // Writes the scores in the last line anew: a first task that was taken over from another run may
  // have been scored for other requests.
  void rescore();

  void on(const StepDone& event) override;
  void on(const EpochDone& event) override;
  void on(const Evaluated& event) override;
  void on(const TaskDone& event) override;
  std::string state_name() const override { return "recorder"; }
  nlohmann::json save() override;
  void restore(const nlohmann::json& state) override;

  const ScoreTable& table() const { return table_; }

 private:
  struct StepSum;
  void write_step_line(const Position& position);
  void write_scores();
  void write_tables() const;
  void write_confusions() const;  // of masks: confusion.safetensors

  std::filesystem::path run_;
  const TaskPlan& plan_;
  int64_t log_steps_;
  LedgerOptions ledger_options_;
  ScoreTable table_;
  LineFile metrics_;
  LineFile ledger_;
  std::unique_ptr<StepSum> sum_;
};

}  // namespace lethe
