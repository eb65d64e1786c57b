// What a run came to, for the end of `lethe run` and for `lethe eval`.
#pragma once

#include <string>

#include "lethe/metrics/scores.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// A, F, S after every task, then accuracy of every class: when its task was done, and now.
std::string summary_text(const ScoreTable& table, const TaskPlan& plan);

// Accuracy per class and group of one evaluation.
std::string class_table(const EvaluationRow& row, const TaskPlan& plan);

}  // namespace lethe
