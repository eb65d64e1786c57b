// The scores A, F, S: accuracy on kept classes, drop in accuracy on forgotten classes, their
// harmonic mean (specification 6.4). Scores are computed from stored counts per class, so classes
// can be regrouped for later requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/core/config.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// The [metric] section of a configuration.
enum class SegValue { kRecall, kIou, kPooledPixel };
enum class Average { kTaskMean, kClassMean, kSampleWeighted };
enum class CurrentTask { kInclude, kExclude };
enum class BestAccuracy { kTaskEnd, kEveryEpoch };
struct MetricOptions {
  SegValue seg_value = SegValue::kRecall;
  Average a_average = Average::kTaskMean;
  CurrentTask a_current = CurrentTask::kInclude;
  Average f_average = Average::kTaskMean;  // kClassMean is not allowed
  BestAccuracy f_max = BestAccuracy::kTaskEnd;
  bool include_background = false;
};
Fields config_fields(MetricOptions& options);

// Counts for one class in one evaluation.
struct ClassCount {
  int64_t correct = 0;    // classification: with the task given
  int64_t total = 0;      // samples (or pixels) of the class
  int64_t predicted = 0;  // samples predicted as this class
  // Classification: samples predicted correctly when the prediction is chosen among all classes
  // seen. Not set for segmentation and in old records.
  std::optional<int64_t> correct_all = {};
};

// One evaluation, as stored in metrics.jsonl.
struct EvaluationRow {
  int64_t task = 0;  // the last task trained
  int64_t epoch = 0;
  bool task_end = true;
  bool erased = false;    // at the end of the event, after classes were erased: the stored version
  ClassSet without = {};  // classes that were erased before
  std::vector<ClassCount> classes;  // indexed by class; total 0 = not seen
  // Segmentation: confusion[c][k] is the number of pixels of class c predicted as class k.
  // Otherwise empty.
  std::vector<std::vector<int64_t>> confusion = {};
};

// Predictions for the pixels of a group of classes, as fractions.
struct PredictedAs {
  double itself = 0, background = 0, kept = 0, forgotten = 0, fresh = 0;
  ClassId most = -1;  // the most frequent wrong prediction
};

// The accuracy of a group of classes of one task in one evaluation.
struct GroupValue {
  double accuracy = 0;
  int64_t correct = 0;
  int64_t total = 0;  // 0 = the group is empty
};

// A cell of the accuracy matrix, a[l, p]: the accuracy after task l on the classes of task p,
// separately for both groups.
struct MatrixCell {
  GroupValue kept;
  GroupValue forgotten;
};

struct Scores {
  double a = 0, f = 0, s = 0;        // in [0, 1]; classification: with the task given
  bool has_f = false;                // a request was executed
  std::optional<double> a_all = {};  // classification: A over all classes seen
  bool has_a = true;                 // false: no kept class was evaluated, A is undefined
};

class ScoreTable {
 public:
  ScoreTable(const TaskPlan& plan, const MetricOptions& options) : plan_(plan), options_(options) {}

  void add(EvaluationRow row);
  void clear();
  // All evaluations in order, except those after an erasure.
  const std::vector<EvaluationRow>& rows() const { return rows_; }

  // The evaluation at the end of a task; null if there is none.
  const EvaluationRow* end_row(int64_t task) const;
  // The evaluation of the version that the task left. It differs from end_row() if classes were
  // erased at the end of the task.
  const EvaluationRow* version_row(int64_t task) const;

  // The kept and the forgotten classes of a task, considering all requests of the plan, due or not.
  ClassSet kept_of(int64_t task) const;
  ClassSet forgotten_of(int64_t task) const;

  MatrixCell cell(const EvaluationRow& row, int64_t task) const;
  // Accuracy of arbitrary classes, computed like that of a group; 0 if none was evaluated.
  double value_of(const EvaluationRow& row, const ClassSet& classes) const;

  // Segmentation: predictions for the pixels of forgotten classes, averaged over those classes.
  // std::nullopt without a confusion matrix or without such pixels.
  std::optional<PredictedAs> forgotten_as(const EvaluationRow& row) const;

  // Scores at the end of the given task. Throws Error if it was not evaluated.
  Scores scores_after(int64_t task) const;
  // The same with another metric.seg_value.
  Scores scores_after(int64_t task, SegValue value) const;
  // Mean of A, F, S over the task ends at which a request had been executed.
  Scores mean_scores() const;

 private:
  // Classification: the classes that predictions are chosen from.
  enum class Among { kTask, kAll };
  GroupValue group(const EvaluationRow& row, const ClassSet& classes,
                   Among among = Among::kTask) const;
  double class_value(const ClassCount& count, int64_t correct) const;
  // The counts of a class. An erased class is no longer evaluated: its last counts are used.
  const ClassCount& count_of(const EvaluationRow& row, ClassId id) const;
  const EvaluationRow& end_of(int64_t task) const;
  // std::nullopt if no kept class was evaluated.
  std::optional<double> a_at(const EvaluationRow& row, Among among) const;
  Scores f_at(const EvaluationRow& row) const;

  const TaskPlan& plan_;
  MetricOptions options_;
  std::vector<EvaluationRow> rows_;
  std::vector<EvaluationRow> erased_rows_;
};

// 0 when A or F is 0.
double harmonic_mean(double a, double f);

}  // namespace lethe
