// Result tables of a run, printed at the end of `lethe run` and by `lethe eval`.
#pragma once

#include <string>

#include "lethe/metrics/scores.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// A, F, S after every task, then the accuracy of every class at the end of its task and in the last
// evaluation.
std::string summary_text(const ScoreTable& table, const TaskPlan& plan);

// The accuracy and the group (keep, forget) of every class in one evaluation.
std::string class_table(const EvaluationRow& row, const TaskPlan& plan);

}  // namespace lethe
