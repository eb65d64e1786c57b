#include "lethe/method/first_task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lethe {

std::string first_task_text(const MethodRecipe& recipe, const OptionGroups& groups,
                            const TaskPlan& plan) {
  auto text = fmt::format("parts: {}\n", fmt::join(recipe.first_task_parts, ", "));
  for (const auto& field : groups.fields(recipe.sections)) {
    if (!field.after_first_task) text += fmt::format("{} = {}\n", field.key, value_text(field));
  }
  if (!recipe.first_task_uses_requests) return text;
  text += "requests:\n";
  for (const auto& request : plan.requests()) {
    if (request.by_command) continue;  // it comes after the first task
    text += fmt::format("{} before {}\n", plan.names(request.classes), request.before_task);
  }
  return text;
}

}  // namespace lethe
