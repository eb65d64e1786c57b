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
  double mean_fall = 0.02;  // a request is not accepted if kept classes lose more on average
};
Fields config_fields(VerdictOptions& options);

enum class Verdict {
  kForgotten,     // was learned, is now at chance
  kNotForgotten,  // lost accuracy, but is still above chance
  kNoEffect,      // lost no accuracy, or gained some
  kNeverLearned,  // was at chance before, and is
  kNotMeasured,   // no evaluation or no test sample
};
const char* name_of(Verdict verdict);  // e.g. "not forgotten"

struct ClassVerdict {
  ClassId id = 0;
  Verdict verdict = Verdict::kNotMeasured;
  double before = 0, after = 0;
  double chance = 0;  // after the event; more classes may compete then than before it
  // True if accuracy is measured over all classes seen, false if with the task given (judge()).
  bool over_all = false;
};

// What was done for a request. A class that lost accuracy by itself was not forgotten on request.
enum class Acted { kYes, kNo };

// before, after: the evaluations before and after the event; null = none. In the scenario kClass
// and for a class that is alone in its task, accuracy is measured over all classes seen.
ClassVerdict judge(ClassId id, const EvaluationRow* before, const EvaluationRow* after,
                   const TaskPlan& plan, const VerdictOptions& options, Acted acted = Acted::kYes);

// "with the task given", "over all classes seen", or "in pixels" in segmentation.
const char* measure_text(bool over_all, Problem problem);

// Whether the mean accuracy of the new classes is at chance, and that mean.
struct TaskLevel {
  bool at_chance = false;
  double accuracy = 0, chance = 0;
  bool over_all = false;  // as in ClassVerdict
};
TaskLevel level_of(const Task& task, const EvaluationRow& after, const TaskPlan& plan,
                   const VerdictOptions& options);

// New classes that the network did not learn: their accuracy is at chance. Empty as long as only
// one class was seen: its accuracy is always 100 %.
std::vector<ClassVerdict> not_learned(const Task& task, const EvaluationRow& after,
                                      const TaskPlan& plan, const VerdictOptions& options);

struct KeptFall {
  ClassId id = 0;
  double before = 0, after = 0;
  bool over_all = false;  // as in ClassVerdict
};
// The mean loss of accuracy of kept classes, measured as in judge(); 0 if none was measured.
double mean_kept_fall(const Task& task, const EvaluationRow& before, const EvaluationRow& after,
                      const TaskPlan& plan);

// Kept classes whose accuracy fell by more than options.kept_fall, measured as in judge().
std::vector<KeptFall> kept_falls(const Task& task, const EvaluationRow& before,
                                 const EvaluationRow& after, const TaskPlan& plan,
                                 const VerdictOptions& options);

}  // namespace lethe
