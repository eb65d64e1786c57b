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

// How a class is measured: with its task given, or over all classes if its task has no other class.
struct Measure {
  bool over_all = false;
  double chance = 0;
};

Measure measure_of(ClassId id, const EvaluationRow& row, const TaskPlan& plan) {
  const auto seen = plan.task(row.task).seen().size();
  if (plan.problem() == Problem::kMasks) return {false, 1.0 / static_cast<double>(seen)};
  const auto in_task = plan.task(plan.task_of(id)).new_classes.size();
  if (in_task > 1) return {false, 1.0 / static_cast<double>(in_task)};
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
       "request",
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
                   const TaskPlan& plan, const VerdictOptions& options) {
  ClassVerdict result = {.id = id};
  if (before == nullptr || after == nullptr) return result;
  const auto [over_all, chance] = measure_of(id, *before, plan);
  const auto was = measured(before, id, over_all);
  const auto is = measured(after, id, over_all);
  if (!was.known || !is.known) return result;
  result.before = was.accuracy;
  result.after = is.accuracy;
  result.chance = chance;
  result.over_all = over_all;
  result.verdict = was.accuracy <= chance + options.learned ? Verdict::kNeverLearned
                   : is.accuracy <= chance + options.margin ? Verdict::kForgotten
                   : is.accuracy >= was.accuracy            ? Verdict::kNoEffect
                                                            : Verdict::kNotForgotten;
  return result;
}

std::vector<ClassVerdict> not_learned(const Task& task, const EvaluationRow& after,
                                      const TaskPlan& plan, const VerdictOptions& options) {
  std::vector<ClassVerdict> found;
  for (const ClassId id : task.new_classes) {
    const auto [over_all, chance] = measure_of(id, after, plan);
    const auto is = measured(&after, id, over_all);
    if (!is.known || is.accuracy > chance + options.learned) continue;
    found.push_back({.id = id,
                     .verdict = Verdict::kNeverLearned,
                     .before = is.accuracy,
                     .after = is.accuracy,
                     .chance = chance,
                     .over_all = over_all});
  }
  return found;
}

std::vector<KeptFall> kept_falls(const Task& task, const EvaluationRow& before,
                                 const EvaluationRow& after, const VerdictOptions& options) {
  std::vector<KeptFall> falls;
  for (const ClassId id : task.kept) {
    const auto was = measured(&before, id, false);
    const auto is = measured(&after, id, false);
    if (was.known && is.known && was.accuracy - is.accuracy > options.kept_fall)
      falls.push_back({.id = id, .before = was.accuracy, .after = is.accuracy});
  }
  return falls;
}

}  // namespace lethe
