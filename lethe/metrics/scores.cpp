#include "lethe/metrics/scores.h"

#include <algorithm>

#include "lethe/core/error.h"

namespace lethe {

namespace {

const ChoiceNames<SegValue> kValues = {{SegValue::kRecall, "recall"},
                                       {SegValue::kIou, "iou"},
                                       {SegValue::kPooledPixel, "pooled_pixel"}};
const ChoiceNames<Average> kAverages = {{Average::kTaskMean, "task_mean"},
                                        {Average::kClassMean, "class_mean"},
                                        {Average::kSampleWeighted, "sample_weighted"}};
const ChoiceNames<Average> kAveragesOfF = {{Average::kTaskMean, "task_mean"},
                                           {Average::kSampleWeighted, "sample_weighted"}};
const ChoiceNames<CurrentTask> kCurrent = {{CurrentTask::kInclude, "include"},
                                           {CurrentTask::kExclude, "exclude"}};
const ChoiceNames<BestAccuracy> kBest = {{BestAccuracy::kTaskEnd, "task_end"},
                                         {BestAccuracy::kEveryEpoch, "every_epoch"}};

}  // namespace

Fields config_fields(MetricOptions& o) {
  return {
      common({"metric.seg_value", choice(&o.seg_value, kValues),
              "segmentation: accuracy of a group of classes: mean recall of its classes, mean "
              "intersection over union, or recall over all its pixels"}),
      {"metric.a_average", choice(&o.a_average, kAverages),
       "average A over tasks, over classes, or over samples"},
      {"metric.a_current", choice(&o.a_current, kCurrent),
       "include the current task in A, or exclude it"},
      {"metric.f_average", choice(&o.f_average, kAveragesOfF),
       "average F over tasks or over samples"},
      {"metric.f_max", choice(&o.f_max, kBest),
       "F is the drop from the best accuracy so far: the best of the evaluations at the ends of "
       "tasks, or the best of all evaluations"},
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

double ScoreTable::class_value(const ClassCount& count, int64_t correct) const {
  if (plan_.problem() == Problem::kMasks && options_.seg_value == SegValue::kIou) {
    return static_cast<double>(correct) /
           static_cast<double>(count.total + count.predicted - correct);
  }
  return static_cast<double>(correct) / static_cast<double>(count.total);
}

// Classification and pooled pixels: fraction of correct samples. Segmentation: mean over the
// classes that occur.
GroupValue ScoreTable::group(const EvaluationRow& row, const ClassSet& classes, Among among) const {
  GroupValue value;
  double sum = 0;
  int64_t present = 0;
  for (const ClassId id : classes) {
    const auto& count = count_of(row, id);
    if (count.total == 0) continue;
    const int64_t correct = among == Among::kAll ? count.correct_all.value_or(0) : count.correct;
    value.correct += correct;
    value.total += count.total;
    sum += class_value(count, correct);
    ++present;
  }
  if (present == 0) return value;
  const bool per_class =
      plan_.problem() == Problem::kMasks && options_.seg_value != SegValue::kPooledPixel;
  value.accuracy = per_class
                       ? sum / static_cast<double>(present)
                       : static_cast<double>(value.correct) / static_cast<double>(value.total);
  return value;
}

MatrixCell ScoreTable::cell(const EvaluationRow& row, int64_t task) const {
  return {.kept = group(row, kept_of(task)), .forgotten = group(row, forgotten_of(task))};
}

void ScoreTable::add(EvaluationRow row) {
  // Rows of earlier events know fewer classes than the plan.
  row.classes.resize(std::max(row.classes.size(), static_cast<size_t>(plan_.num_classes())));
  (row.erased ? erased_rows_ : rows_).push_back(std::move(row));
}

void ScoreTable::clear() {
  rows_.clear();
  erased_rows_.clear();
}

const ClassCount& ScoreTable::count_of(const EvaluationRow& row, ClassId id) const {
  const auto index = static_cast<size_t>(id);
  const auto& own = row.classes.at(index);
  if (own.total > 0 || !plan_.task(row.task).forgotten.contains(id)) return own;
  const ClassCount* last = &own;
  for (const auto& earlier : rows_) {
    if (&earlier == &row || earlier.task > row.task) break;
    if (earlier.task_end && earlier.classes.at(index).total > 0) last = &earlier.classes.at(index);
  }
  return *last;
}

const EvaluationRow* ScoreTable::version_row(int64_t task) const {
  const auto found = std::find_if(erased_rows_.begin(), erased_rows_.end(),
                                  [&](const EvaluationRow& row) { return row.task == task; });
  return found == erased_rows_.end() ? end_row(task) : &*found;
}

const EvaluationRow* ScoreTable::end_row(int64_t task) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const EvaluationRow& row) {
    return row.task_end && row.task == task;
  });
  return found == rows_.end() ? nullptr : &*found;
}

const EvaluationRow& ScoreTable::end_of(int64_t task) const {
  const auto* row = end_row(task);
  if (row == nullptr) throw_error<Error>("there is no evaluation after task {}", task);
  return *row;
}

std::optional<double> ScoreTable::a_at(const EvaluationRow& row, Among among) const {
  const int64_t learned = std::min(row.task, plan_.last_learning_task());
  double sum = 0;
  double weight = 0;
  for (int64_t task = 1; task <= learned; ++task) {
    if (task == row.task && options_.a_current == CurrentTask::kExclude) continue;
    if (options_.a_average == Average::kClassMean) {
      for (const ClassId id : kept_of(task)) {
        const auto& count = row.classes.at(static_cast<size_t>(id));
        if (count.total == 0) continue;
        sum += class_value(count,
                           among == Among::kAll ? count.correct_all.value_or(0) : count.correct);
        weight += 1;
      }
      continue;
    }
    const auto kept = group(row, kept_of(task), among);
    if (kept.total == 0) continue;
    const double w =
        options_.a_average == Average::kSampleWeighted ? static_cast<double>(kept.total) : 1.0;
    sum += w * kept.accuracy;
    weight += w;
  }
  if (weight == 0) return std::nullopt;
  return sum / weight;
}

// F of a task: the best accuracy that its forgotten classes ever had minus their current accuracy.
Scores ScoreTable::f_at(const EvaluationRow& row) const {
  double sum = 0;
  double weight = 0;
  const auto& executed = plan_.task(row.task).forgotten;
  for (int64_t task = 1; task < row.task && task <= plan_.last_learning_task(); ++task) {
    const auto classes = forgotten_of(task);
    if ((classes & executed).empty()) continue;
    const auto now = group(row, classes);
    if (now.total == 0) continue;
    double best = now.accuracy;
    for (const auto& earlier : rows_) {
      if (&earlier == &row) break;
      if (earlier.task < task || (!earlier.task_end && options_.f_max == BestAccuracy::kTaskEnd))
        continue;
      const auto value = group(earlier, classes);
      if (value.total > 0) best = std::max(best, value.accuracy);
    }
    const double w =
        options_.f_average == Average::kSampleWeighted ? static_cast<double>(now.total) : 1.0;
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

Scores ScoreTable::scores_after(int64_t task, SegValue value) const {
  auto other = *this;
  other.options_.seg_value = value;
  return other.scores_after(task);
}

Scores ScoreTable::scores_after(int64_t task) const {
  const auto& row = end_of(task);
  Scores scores = f_at(row);
  const auto a = a_at(row, Among::kTask);
  scores.a = a.value_or(0);
  scores.has_a = a.has_value();
  const bool has_all = std::any_of(row.classes.begin(), row.classes.end(),
                                   [](const ClassCount& count) { return count.correct_all; });
  if (has_all) scores.a_all = a_at(row, Among::kAll);
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
    if (scores.a_all) mean.a_all = mean.a_all.value_or(0) + *scores.a_all;
    mean.has_f = true;
    count += 1;
  }
  if (count > 0) {
    mean.a /= count;
    mean.f /= count;
    mean.s /= count;
    if (mean.a_all) *mean.a_all /= count;
  }
  return mean;
}

}  // namespace lethe
