#include "lethe/record/csv_tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace lethe {

namespace {

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string group_csv(const GroupValue& group) {
  if (group.total == 0) return ",0,0";
  return fmt::format("{:.6f},{},{}", group.accuracy, group.correct, group.total);
}

}  // namespace

std::string matrix_csv(const ScoreTable& table, const TaskPlan& plan) {
  std::string text =
      "after_task,epoch,task_end,task,kept_accuracy,kept_correct,kept_total,"
      "forgotten_accuracy,forgotten_correct,forgotten_total\n";
  for (const auto& row : table.rows()) {
    for (int64_t task = 1; task <= std::min(row.task, plan.last_learning_task()); ++task) {
      if (!plan.task(task).learns()) continue;
      const auto cell = table.cell(row, task);
      text += fmt::format("{},{},{},{},{},{}\n", row.task, row.epoch, row.task_end ? 1 : 0, task,
                          group_csv(cell.kept), group_csv(cell.forgotten));
    }
  }
  return text;
}

std::string per_class_csv(const ScoreTable& table, const TaskPlan& plan) {
  const bool masks = plan.problem() == Problem::kMasks;
  std::string text =
      masks ? "task,class,name,group,correct,total,accuracy,iou\n"
            : "task,class,name,group,correct,total,accuracy,correct_all,accuracy_all\n";
  for (const auto& row : table.rows()) {
    if (!row.task_end) continue;
    for (const ClassId id : plan.task(row.task).seen()) {
      const auto& count = row.classes.at(static_cast<size_t>(id));
      const auto ratio = [](int64_t part, int64_t whole) {
        return whole == 0
                   ? std::string()
                   : fmt::format("{:.6f}", static_cast<double>(part) / static_cast<double>(whole));
      };
      text += fmt::format("{},{},{},{},{},{},{}", row.task, id, csv_text(plan.class_name(id)),
                          plan.listed().contains(id) ? "forgotten" : "kept", count.correct,
                          count.total, ratio(count.correct, count.total));
      if (masks) {  // empty for a class that is in no image
        text += ',' + (count.total == 0
                           ? std::string()
                           : ratio(count.correct, count.total + count.predicted - count.correct));
      } else if (count.correct_all) {
        text += fmt::format(",{},{}", *count.correct_all, ratio(*count.correct_all, count.total));
      } else {
        text += ",,";
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace lethe
