#include "lethe/report/summary.h"

#include <algorithm>

#include "lethe/report/table.h"

namespace lethe {

namespace {

std::string accuracy(const EvaluationRow& row, ClassId id) {
  const auto& count = row.classes.at(static_cast<size_t>(id));
  return count.total == 0
             ? "-"
             : percent(static_cast<double>(count.correct) / static_cast<double>(count.total));
}

std::string group_name(const TaskPlan& plan, ClassId id) {
  return plan.listed().contains(id) ? "forget" : "keep";
}

}  // namespace

std::string summary_text(const ScoreTable& table, const TaskPlan& plan) {
  std::vector<std::vector<std::string>> scores;
  for (const auto& row : table.rows()) {
    if (!row.task_end) continue;
    const auto s = table.scores_after(row.task);
    scores.push_back({std::to_string(row.task), percent(s.a), s.has_f ? percent(s.f) : "-",
                      s.has_f ? percent(s.s) : "-"});
  }
  std::string text = markdown_table({"after task", "A", "F", "S"}, scores);
  if (table.rows().empty()) return text;
  const auto& last = table.rows().back();
  std::vector<std::vector<std::string>> classes;
  for (const ClassId id : plan.task(last.task).seen()) {
    const auto own = std::find_if(
        table.rows().begin(), table.rows().end(),
        [&](const EvaluationRow& row) { return row.task_end && row.task == plan.task_of(id); });
    classes.push_back({plan.class_name(id), std::to_string(plan.task_of(id)), group_name(plan, id),
                       own == table.rows().end() ? "-" : accuracy(*own, id), accuracy(last, id)});
  }
  text += '\n' + markdown_table({"class", "task", "group", "learned", "now"}, classes);
  return text;
}

std::string class_table(const EvaluationRow& row, const TaskPlan& plan) {
  std::vector<std::vector<std::string>> classes;
  for (const ClassId id : plan.task(row.task).seen()) {
    const auto& count = row.classes.at(static_cast<size_t>(id));
    classes.push_back({plan.class_name(id), std::to_string(plan.task_of(id)), group_name(plan, id),
                       std::to_string(count.correct), std::to_string(count.total),
                       accuracy(row, id)});
  }
  return markdown_table({"class", "task", "group", "correct", "total", "accuracy"}, classes);
}

}  // namespace lethe
