#include "lethe/metrics/scores.h"

#include <algorithm>

#include "lethe/core/error.h"

namespace lethe {

Fields config_fields(MetricOptions& o) {
  return {
      common({"metric.seg_value",
              &o.seg_value,
              "segmentation: score of a class: recall, IoU, or pixel accuracy pooled over classes",
              {},
              {"recall", "iou", "pooled_pixel"}}),
      common({"metric.a_average",
              &o.a_average,
              "average A over tasks, over classes, or weighted by samples",
              {},
              {"task_mean", "class_mean", "sample_weighted"}}),
      {"metric.a_current",
       &o.a_current,
       "include or exclude the current task in A",
       {},
       {"include", "exclude"}},
      {"metric.f_average",
       &o.f_average,
       "average F over tasks, or weighted by samples",
       {},
       {"task_mean", "sample_weighted"}},
      {"metric.f_max",
       &o.f_max,
       "F is the drop from the best accuracy so far: best of all task ends, or of all evaluations",
       {},
       {"task_end", "every_epoch"}},
      {"metric.include_background", &o.include_background,
       "segmentation: count background as a kept class of the first task"},
  };
}

double harmonic_mean(double a, double f) { return a > 0 && f > 0 ? 2 * a * f / (a + f) : 0; }

ClassSet ScoreTable::kept_of(int64_t task) const {
  ClassSet classes = plan_.task(task).new_classes - plan_.listed();
  if (task == 1 && plan_.problem() == Problem::kMasks && options_.include_background)
    classes = classes | ClassSet{0};
  return classes;
}

ClassSet ScoreTable::forgotten_of(int64_t task) const {
  return plan_.task(task).new_classes & plan_.listed();
}

double ScoreTable::class_value(const ClassCount& count) const {
  if (plan_.problem() == Problem::kMasks && options_.seg_value == "iou") {
    return static_cast<double>(count.correct) /
           static_cast<double>(count.total + count.predicted - count.correct);
  }
  return static_cast<double>(count.correct) / static_cast<double>(count.total);
}

// Classification and pooled pixels: hits over samples. Masks: mean over the classes that occur.
GroupValue ScoreTable::group(const EvaluationRow& row, const ClassSet& classes) const {
  GroupValue value;
  double sum = 0;
  int64_t present = 0;
  for (const ClassId id : classes) {
    const auto& count = row.classes.at(static_cast<size_t>(id));
    if (count.total == 0) continue;
    value.correct += count.correct;
    value.total += count.total;
    sum += class_value(count);
    ++present;
  }
  if (present == 0) return value;
  const bool per_class = plan_.problem() == Problem::kMasks && options_.seg_value != "pooled_pixel";
  value.accuracy = per_class
                       ? sum / static_cast<double>(present)
                       : static_cast<double>(value.correct) / static_cast<double>(value.total);
  return value;
}

MatrixCell ScoreTable::cell(const EvaluationRow& row, int64_t task) const {
  return {.kept = group(row, kept_of(task)), .forgotten = group(row, forgotten_of(task))};
}

const EvaluationRow& ScoreTable::end_of(int64_t task) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const EvaluationRow& row) {
    return row.task_end && row.task == task;
  });
  if (found == rows_.end()) throw_error<Error>("there is no evaluation after task {}", task);
  return *found;
}

double ScoreTable::a_at(const EvaluationRow& row) const {
  const int64_t learned = std::min(row.task, plan_.num_learning_tasks());
  double sum = 0;
  double weight = 0;
  for (int64_t task = 1; task <= learned; ++task) {
    if (task == row.task && options_.a_current == "exclude") continue;
    if (options_.a_average == "class_mean") {
      for (const ClassId id : kept_of(task)) {
        const auto& count = row.classes.at(static_cast<size_t>(id));
        if (count.total == 0) continue;
        sum += class_value(count);
        weight += 1;
      }
      continue;
    }
    const auto kept = group(row, kept_of(task));
    if (kept.total == 0) continue;
    const double w =
        options_.a_average == "sample_weighted" ? static_cast<double>(kept.total) : 1.0;
    sum += w * kept.accuracy;
    weight += w;
  }
  return weight > 0 ? sum / weight : 0;
}

// f of a task: the best accuracy its forgotten classes ever had, less what they have now.
Scores ScoreTable::f_at(const EvaluationRow& row) const {
  double sum = 0;
  double weight = 0;
  const auto& executed = plan_.task(row.task).forgotten;
  for (int64_t task = 1; task < row.task && task <= plan_.num_learning_tasks(); ++task) {
    const auto classes = forgotten_of(task);
    if ((classes & executed).empty()) continue;
    const auto now = group(row, classes);
    if (now.total == 0) continue;
    double best = now.accuracy;
    for (const auto& earlier : rows_) {
      if (&earlier == &row) break;
      if (earlier.task < task || (!earlier.task_end && options_.f_max == "task_end")) continue;
      const auto value = group(earlier, classes);
      if (value.total > 0) best = std::max(best, value.accuracy);
    }
    const double w = options_.f_average == "sample_weighted" ? static_cast<double>(now.total) : 1.0;
    sum += w * (best - now.accuracy);
    weight += w;
  }
  return {.f = weight > 0 ? sum / weight : 0, .has_f = weight > 0};
}

double ScoreTable::value_of(const EvaluationRow& row, const ClassSet& classes) const {
  return group(row, classes).accuracy;
}

std::optional<PredictedAs> ScoreTable::forgotten_as(const EvaluationRow& row) const {
  constexpr ClassId kBackground = 0;
  if (row.confusion.empty()) return std::nullopt;
  const auto& task = plan_.task(row.task);
  PredictedAs sum;
  std::vector<double> given(row.confusion.size(), 0);
  double classes = 0;
  for (const ClassId id : task.forgotten) {
    const auto own = static_cast<size_t>(id);
    const auto total = static_cast<double>(row.classes.at(own).total);
    if (total == 0) continue;
    ++classes;
    for (size_t k = 0; k < row.confusion[own].size(); ++k) {
      const double share = static_cast<double>(row.confusion[own][k]) / total;
      const auto as = static_cast<ClassId>(k);
      auto& part = as == id                        ? sum.itself
                   : as == kBackground             ? sum.background
                   : task.forgotten.contains(as)   ? sum.forgotten
                   : task.new_classes.contains(as) ? sum.fresh
                                                   : sum.kept;
      part += share;
      if (as != id) given[k] += share;
    }
  }
  if (classes == 0) return std::nullopt;
  for (double* part : {&sum.itself, &sum.background, &sum.kept, &sum.forgotten, &sum.fresh})
    *part /= classes;
  sum.most = std::distance(given.begin(), std::max_element(given.begin(), given.end()));
  return sum;
}

Scores ScoreTable::scores_after(int64_t task) const {
  const auto& row = end_of(task);
  Scores scores = f_at(row);
  scores.a = a_at(row);
  scores.s = harmonic_mean(scores.a, scores.f);
  return scores;
}

Scores ScoreTable::mean_scores() const {
  Scores mean;
  double count = 0;
  for (const auto& row : rows_) {
    if (!row.task_end) continue;
    const auto scores = scores_after(row.task);
    if (!scores.has_f) continue;
    mean.a += scores.a;
    mean.f += scores.f;
    mean.s += scores.s;
    mean.has_f = true;
    count += 1;
  }
  if (count > 0) {
    mean.a /= count;
    mean.f /= count;
    mean.s /= count;
  }
  return mean;
}

}  // namespace lethe
