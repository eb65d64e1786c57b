// The outcome of a finished run: what tables and suites take from its record.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lethe/metrics/feature_figures.h"
#include "lethe/metrics/scores.h"

namespace lethe {

// Accuracy on the classes of one task after another: a row of matrix.csv at a task's end.
struct MatrixRow {
  int64_t after_task = 0;
  int64_t task = 0;
  MatrixCell cell;
};

// Accuracy after an epoch of the task that carried out the first request (eval.every = "epoch").
struct EpochPoint {
  int64_t epoch = 0;  // 0: before the task
  double forgotten = 0, fresh = 0;
};

// What a run came to.
struct RunOutcome {
  std::vector<Scores> after;  // every task
  Scores last;                // after the last one
  Scores mean;                // over the tasks at whose end a request had been executed
  std::vector<MatrixRow> matrix;
  // Mean share of the gradient of every loss term in the last task with images (train.grad_steps).
  std::map<std::string, double> shares;
  // Masks, where something was forgotten.
  std::optional<PredictedAs> predicted_as;  // at the end
  std::optional<ClassFeatures> features;    // mean over forgotten classes
  std::vector<EpochPoint> epochs;           // empty without an evaluation per epoch
};

// The outcome of a finished run, from its table and its metrics.jsonl.
RunOutcome outcome_of(const ScoreTable& table, const TaskPlan& plan,
                      const std::filesystem::path& metrics_file);

}  // namespace lethe
