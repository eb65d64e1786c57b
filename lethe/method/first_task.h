// Runs whose methods train the first task bit-identically can share it: finetune, lwf and lwf*
// differ only from the second task on.
#pragma once

#include <string>

#include "lethe/method/registry.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// What the first task depends on, as far as the method is concerned: the parts that have an effect
// in it, their resolved options without those marked after_first_task(), and the requests, if the
// method uses them in the first task. Methods with the same text train the first task
// bit-identically.
std::string first_task_text(const MethodRecipe& recipe, const OptionGroups& groups,
                            const TaskPlan& plan);

}  // namespace lethe
