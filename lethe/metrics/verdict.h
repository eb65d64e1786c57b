// Judges classes by two evaluations, before and after an event: was a class forgotten, had it been
// learned at all, and which kept classes fell?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/metrics/scores.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// [forget]
struct VerdictOptions {
  double margin = 0.02;     // a class is forgotten up to this above chance
  double learned = 0.05;    // a class was learned if it was more than this above chance
  double kept_fall = 0.10;  // a kept class that falls by more gets a warning
};
Fields config_fields(VerdictOptions& options);

enum class Verdict {
  kForgotten,     // was learned, is at chance now
  kNotForgotten,  // fell, but is still above chance
  kNoEffect,      // did not fall
  kNeverLearned,  // was at chance before
  kNotMeasured,   // no evaluation or no test sample
};
const char* name_of(Verdict verdict);  // "not forgotten"

struct ClassVerdict {
  ClassId id = 0;
  Verdict verdict = Verdict::kNotMeasured;
  double before = 0, after = 0, chance = 0;
  // Measured over all classes seen instead of with the task given: its task has no other class.
  bool over_all = false;
};

// before, after: the rows of the evaluations around the event; null = there is none.
ClassVerdict judge(ClassId id, const EvaluationRow* before, const EvaluationRow* after,
                   const TaskPlan& plan, const VerdictOptions& options);

// New classes that the task did not teach: accuracy at chance.
std::vector<ClassVerdict> not_learned(const Task& task, const EvaluationRow& after,
                                      const TaskPlan& plan, const VerdictOptions& options);

struct KeptFall {
  ClassId id = 0;
  double before = 0, after = 0;
};
// Kept classes whose accuracy fell by more than options.kept_fall.
std::vector<KeptFall> kept_falls(const Task& task, const EvaluationRow& before,
                                 const EvaluationRow& after, const VerdictOptions& options);

}  // namespace lethe
