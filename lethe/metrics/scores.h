// A, F, S: accuracy of kept classes, fall of accuracy of forgotten ones, their harmonic mean
// (specification 6.4). Everything is recomputed from stored hits and counts per class, so that
// groups can be formed anew for later requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/core/config.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// [metric]
enum class SegValue { kRecall, kIou, kPooledPixel };
enum class Average { kTaskMean, kClassMean, kSampleWeighted };
enum class CurrentTask { kInclude, kExclude };
enum class BestAccuracy { kTaskEnd, kEveryEpoch };
struct MetricOptions {
  SegValue seg_value = SegValue::kRecall;
  Average a_average = Average::kTaskMean;
  CurrentTask a_current = CurrentTask::kInclude;
  Average f_average = Average::kTaskMean;  // without kClassMean
  BestAccuracy f_max = BestAccuracy::kTaskEnd;
  bool include_background = false;
};
Fields config_fields(MetricOptions& options);

// What one evaluation counted of one class.
struct ClassCount {
  int64_t correct = 0;    // images: with the task given
  int64_t total = 0;      // samples (or pixels) of the class
  int64_t predicted = 0;  // samples that were predicted as this class
  // Images: samples that are right among all classes seen. Not set for masks and in old records.
  std::optional<int64_t> correct_all = {};
};

// One evaluation, as metrics.jsonl keeps it.
struct EvaluationRow {
  int64_t task = 0;  // trained last
  int64_t epoch = 0;
  bool task_end = true;
  std::vector<ClassCount> classes;  // by class; total 0 = not seen
  // Masks: pixels of class c that were given class k, at [c][k]; else empty.
  std::vector<std::vector<int64_t>> confusion = {};
};

// What became of a group of classes: shares of their pixels by what they are predicted as.
struct PredictedAs {
  double itself = 0, background = 0, kept = 0, forgotten = 0, fresh = 0;
  ClassId most = -1;  // the class that gets most of them, itself left out
};

// A group of a task's classes in one evaluation.
struct GroupValue {
  double accuracy = 0;
  int64_t correct = 0;
  int64_t total = 0;  // 0: the group is empty
};

struct MatrixCell {  // a[l, p] of both groups
  GroupValue kept;
  GroupValue forgotten;
};

struct Scores {
  double a = 0, f = 0, s = 0;        // in [0, 1]; images: with the task given
  bool has_f = false;                // some request was executed
  std::optional<double> a_all = {};  // images: A among all classes seen
};

class ScoreTable {
 public:
  ScoreTable(const TaskPlan& plan, const MetricOptions& options) : plan_(plan), options_(options) {}

  void add(EvaluationRow row) { rows_.push_back(std::move(row)); }
  void clear() { rows_.clear(); }
  const std::vector<EvaluationRow>& rows() const { return rows_; }

  // The evaluation at the end of a task, or null.
  const EvaluationRow* end_row(int64_t task) const;

  // Classes of task p in each group: by every request of the plan, due or not.
  ClassSet kept_of(int64_t task) const;
  ClassSet forgotten_of(int64_t task) const;

  MatrixCell cell(const EvaluationRow& row, int64_t task) const;
  // Accuracy of any classes, as a group's is formed; 0 if none was evaluated.
  double value_of(const EvaluationRow& row, const ClassSet& classes) const;

  // Masks: what pixels of every class that is to be forgotten are taken for, mean over those
  // classes. Nothing without a confusion matrix or without such pixels.
  std::optional<PredictedAs> forgotten_as(const EvaluationRow& row) const;

  // At the end of the given task; Throws Error if there is no such row.
  Scores scores_after(int64_t task) const;
  // Mean of A, F, S over the task ends at which a request had been executed.
  Scores mean_scores() const;

 private:
  // Images: which predictions count.
  enum class Among { kTask, kAll };
  GroupValue group(const EvaluationRow& row, const ClassSet& classes,
                   Among among = Among::kTask) const;
  double class_value(const ClassCount& count, int64_t correct) const;
  const EvaluationRow& end_of(int64_t task) const;
  double a_at(const EvaluationRow& row, Among among) const;
  Scores f_at(const EvaluationRow& row) const;

  const TaskPlan& plan_;
  MetricOptions options_;
  std::vector<EvaluationRow> rows_;
};

// 0 when A or F is 0.
double harmonic_mean(double a, double f);

}  // namespace lethe
