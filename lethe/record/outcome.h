// The outcome of a finished run: the part of its record that tables and suites use.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lethe/metrics/feature_figures.h"
#include "lethe/metrics/scores.h"

namespace lethe {

// Accuracy on the classes of `task` after training `after_task`: one row of matrix.csv.
struct MatrixRow {
  int64_t after_task = 0;
  int64_t task = 0;
  MatrixCell cell;
};

// Accuracy after an epoch of the task that carried out the first request (needs eval.every =
// "epoch").
struct EpochPoint {
  int64_t epoch = 0;  // 0 = before the task
  double forgotten = 0, fresh = 0;
};

// Results of a run.
struct RunOutcome {
  std::vector<Scores> after;  // scores after every task
  Scores last;                // scores after the last task
  Scores mean;                // mean over the tasks after which a request had been executed
  std::vector<MatrixRow> matrix;
  // Mean gradient share of every loss term in the last task with images (needs train.grad_steps).
  std::map<std::string, double> shares;
  // If classes were forgotten.
  std::optional<double> most_left;             // highest accuracy of one of them, at the end
  std::optional<PredictedAs> predicted_as;     // segmentation: after the last task
  std::optional<Scores> by_iou;                // segmentation: last, by IoU instead of recall
  std::optional<ClassFeatures> features;       // mean over forgotten classes
  std::optional<ClassFeatures> kept_features;  // mean over kept classes
  std::vector<EpochPoint> epochs;              // empty unless every epoch was evaluated
};

// Computes the outcome of a finished run from its table and its metrics.jsonl.
RunOutcome outcome_of(const ScoreTable& table, const TaskPlan& plan,
                      const std::filesystem::path& metrics_file);

}  // namespace lethe
