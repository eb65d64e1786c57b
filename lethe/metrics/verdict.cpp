#include "lethe/metrics/verdict.h"

namespace lethe {

namespace {

struct Measured {
  bool known = false;
  double accuracy = 0;
};

Measured measured(const EvaluationRow* row, ClassId id, bool over_all) {
  if (row == nullptr || static_cast<size_t>(id) >= row->classes.size()) return {};
  const auto& count = row->classes[static_cast<size_t>(id)];
  if (count.total == 0 || (over_all && !count.correct_all)) return {};
  const auto correct = over_all ? *count.correct_all : count.correct;
  return {true, static_cast<double>(correct) / static_cast<double>(count.total)};
}

// How a class is measured: with its task given, or over all classes if the stream is of that
// scenario or its task has no other class. Erased classes do not count. Accuracy says nothing if
// only one class was seen.
struct Measure {
  bool over_all = false;
  double chance = 0;

  bool is_known() const { return chance < 1; }
};

// masked: classes that the model of this evaluation cannot answer.
Measure measure_of(ClassId id, const EvaluationRow& row, const TaskPlan& plan,
                   const ClassSet& masked = {}) {
  const auto seen = (plan.task(row.task).seen() - row.without).size();
  if (plan.problem() == Problem::kMasks) return {false, 1.0 / static_cast<double>(seen)};
  const auto& own = plan.task(plan.task_of(id));
  const auto in_task = own.new_classes - row.without;
  if (in_task.size() > 1 && !(in_task - masked).empty() && own.scenario == Scenario::kTask)
    return {false, 1.0 / static_cast<double>(in_task.size())};
  return {true, 1.0 / static_cast<double>(seen)};
}

}  // namespace

Fields config_fields(VerdictOptions& o) {
  return {
      {"forget.margin", &o.margin,
       "a class counts as forgotten if its accuracy exceeds chance by at most this value",
       at_least_below(0, 1)},
      {"forget.learned", &o.learned,
       "a class counts as learned if its accuracy exceeds chance by more than this value",
       at_least_below(0, 1)},
      {"forget.kept_fall", &o.kept_fall,
       "warn about a kept class whose accuracy falls by more than this value in one task or "
       "request; `lethe forget` does not accept such a model",
       between(0, 1)},
      {"forget.mean_fall", &o.mean_fall,
       "`lethe forget` does not accept a model whose kept classes lose more than this on average",
       between(0, 1)},
  };
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kForgotten:
      return "forgotten";
    case Verdict::kNotForgotten:
      return "not forgotten";
    case Verdict::kNoEffect:
      return "no effect";
    case Verdict::kNeverLearned:
      return "never learned";
    case Verdict::kNotMeasured:
      break;
  }
  return "not measured";
}

ClassVerdict judge(ClassId id, const EvaluationRow* before, const EvaluationRow* after,
                   const TaskPlan& plan, const VerdictOptions& options, Acted acted) {
  ClassVerdict result = {.id = id};
  if (before == nullptr || after == nullptr) return result;
  // A model that was trained without the classes has no rows for them.
  const auto& event = plan.task(after->task);
  const auto masked = event.retrained ? event.forgotten : ClassSet{};
  const auto measure = measure_of(id, *before, plan, masked);
  const auto was = measured(before, id, measure.over_all);
  const auto is = measured(after, id, measure.over_all);
  if (!was.known || !is.known || !measure.is_known()) return result;
  result.before = was.accuracy;
  result.after = is.accuracy;
  result.chance = measure_of(id, *after, plan, masked).chance;
  result.over_all = measure.over_all;
  const bool was_learned = was.accuracy > measure.chance + options.learned;
  const bool is_learned = is.accuracy > result.chance + options.learned;
  result.verdict = !was_learned && !is_learned                     ? Verdict::kNeverLearned
                   : is.accuracy <= result.chance + options.margin ? Verdict::kForgotten
                   : is.accuracy >= was.accuracy                   ? Verdict::kNoEffect
                   : acted == Acted::kNo                           ? Verdict::kNoEffect
                                                                   : Verdict::kNotForgotten;
  return result;
}

const char* measure_text(bool over_all, Problem problem) {
  if (problem == Problem::kMasks) return "in pixels";
  return over_all ? "over all classes seen" : "with the task given";
}

namespace {

// The new classes of a task that can be measured; before and after are the same.
std::vector<ClassVerdict> measured_new_classes(const Task& task, const EvaluationRow& after,
                                               const TaskPlan& plan) {
  std::vector<ClassVerdict> found;
  for (const ClassId id : task.new_classes) {
    const auto measure = measure_of(id, after, plan);
    const auto is = measured(&after, id, measure.over_all);
    if (!is.known || !measure.is_known()) continue;
    found.push_back({.id = id,
                     .verdict = Verdict::kNotMeasured,
                     .before = is.accuracy,
                     .after = is.accuracy,
                     .chance = measure.chance,
                     .over_all = measure.over_all});
  }
  return found;
}

}  // namespace

TaskLevel level_of(const Task& task, const EvaluationRow& after, const TaskPlan& plan,
                   const VerdictOptions& options) {
  const auto classes = measured_new_classes(task, after, plan);
  if (classes.empty()) return {};
  TaskLevel level = {.chance = classes.back().chance, .over_all = classes.back().over_all};
  for (const auto& one : classes) level.accuracy += one.after;
  level.accuracy /= static_cast<double>(classes.size());
  level.at_chance = level.accuracy <= level.chance + options.learned;
  return level;
}

std::vector<ClassVerdict> not_learned(const Task& task, const EvaluationRow& after,
                                      const TaskPlan& plan, const VerdictOptions& options) {
  std::vector<ClassVerdict> found;
  for (auto one : measured_new_classes(task, after, plan)) {
    if (one.after > one.chance + options.learned) continue;
    one.verdict = Verdict::kNeverLearned;
    found.push_back(one);
  }
  return found;
}

double mean_kept_fall(const Task& task, const EvaluationRow& before, const EvaluationRow& after,
                      const TaskPlan& plan) {
  double sum = 0;
  int64_t classes = 0;
  for (const ClassId id : task.kept) {
    const bool over_all = measure_of(id, before, plan).over_all;
    const auto was = measured(&before, id, over_all);
    const auto is = measured(&after, id, over_all);
    if (!was.known || !is.known) continue;
    sum += was.accuracy - is.accuracy;
    ++classes;
  }
  return classes == 0 ? 0 : sum / static_cast<double>(classes);
}

std::vector<KeptFall> kept_falls(const Task& task, const EvaluationRow& before,
                                 const EvaluationRow& after, const TaskPlan& plan,
                                 const VerdictOptions& options) {
  std::vector<KeptFall> falls;
  for (const ClassId id : task.kept) {
    const bool over_all = measure_of(id, before, plan).over_all;
    const auto was = measured(&before, id, over_all);
    const auto is = measured(&after, id, over_all);
    if (was.known && is.known && was.accuracy - is.accuracy > options.kept_fall)
      falls.push_back(
          {.id = id, .before = was.accuracy, .after = is.accuracy, .over_all = over_all});
  }
  return falls;
}

}  // namespace lethe
