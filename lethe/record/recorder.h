// The Recorder listens to the trainer and writes the record of the run: metrics.jsonl (steps,
// epochs, evaluations, scores), matrix.csv and per_class.csv. The ledger is written by the
// LedgerKeeper. On resume, all files are truncated to the state of the checkpoint. Wall times
// appear only under the key "time"; everything else is reproducible.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lethe/core/files.h"
#include "lethe/metrics/scores.h"
#include "lethe/trainer/events.h"

namespace lethe {

class Recorder : public Listener {
 public:
  // Opens the files of the run directory. The plan must outlive the recorder.
  Recorder(const std::filesystem::path& run, const TaskPlan& plan, const MetricOptions& metric,
           int64_t log_steps);
  ~Recorder() override;

  // Truncates all files, for a run that starts from the beginning.
  void start_afresh();

  // Recomputes the scores in the last line of metrics.jsonl. A first task reused from another run
  // may have been scored with other requests.
  void rescore();

  void on(const StepDone& event) override;
  void on(const EpochDone& event) override;
  void on(const Evaluated& event) override;
  std::string state_name() const override { return "recorder"; }
  nlohmann::json save() override;
  void restore(const nlohmann::json& state) override;

  const ScoreTable& table() const { return table_; }

 private:
  struct StepSum;
  void write_step_line(const Position& position);
  void write_scores();
  void write_tables() const;
  void write_confusions() const;  // segmentation: confusion.safetensors

  std::filesystem::path run_;
  const TaskPlan& plan_;
  int64_t log_steps_;
  ScoreTable table_;
  LineFile metrics_;
  std::unique_ptr<StepSum> sum_;
};

}  // namespace lethe
