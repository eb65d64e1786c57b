// Compares the evaluations before and after an event: which classes were forgotten or never
// learned, and which kept classes lost accuracy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/metrics/scores.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// The [forget] section of a configuration. All values are fractions between 0 and 1.
struct VerdictOptions {
  double margin = 0.02;     // a class is forgotten if its accuracy is at most this above chance
  double learned = 0.05;    // a class was learned if its accuracy was more than this above chance
  double kept_fall = 0.10;  // warn about a kept class that loses more accuracy than this
};
Fields config_fields(VerdictOptions& options);

enum class Verdict {
  kForgotten,     // was learned, is now at chance
  kNotForgotten,  // lost accuracy, but is still above chance
  kNoEffect,      // lost no accuracy
  kNeverLearned,  // was at chance before
  kNotMeasured,   // no evaluation or no test sample
};
const char* name_of(Verdict verdict);  // e.g. "not forgotten"

struct ClassVerdict {
  ClassId id = 0;
  Verdict verdict = Verdict::kNotMeasured;
  double before = 0, after = 0, chance = 0;
  // True if the task has only this class. Accuracy is then measured over all classes seen instead
  // of with the task given.
  bool over_all = false;
};

// before, after: the evaluations before and after the event; null = none.
ClassVerdict judge(ClassId id, const EvaluationRow* before, const EvaluationRow* after,
                   const TaskPlan& plan, const VerdictOptions& options);

// New classes that the network did not learn: their accuracy is at chance.
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
