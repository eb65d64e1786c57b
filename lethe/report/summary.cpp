#include "lethe/report/summary.h"

#include <algorithm>

#include "lethe/report/table.h"

namespace lethe {

namespace {

std::string share(int64_t part, int64_t whole) {
  return whole == 0 ? "-" : percent(static_cast<double>(part) / static_cast<double>(whole));
}

std::string accuracy(const EvaluationRow& row, ClassId id) {
  const auto& count = row.classes.at(static_cast<size_t>(id));
  return share(count.correct, count.total);
}

std::string accuracy_all(const EvaluationRow& row, ClassId id) {
  const auto& count = row.classes.at(static_cast<size_t>(id));
  return count.correct_all ? share(*count.correct_all, count.total) : "-";
}

// Classification has two accuracies: with the task given, and over all classes seen.
constexpr const char* kTwoAccuracies =
    "A, F and S are measured with the task given: only the classes of its task compete. \"all\" is "
    "the accuracy over all classes seen.\n";

void append_if(bool condition, std::vector<std::string>& cells, std::string cell) {
  if (condition) cells.push_back(std::move(cell));
}

std::string group_name(const TaskPlan& plan, ClassId id) {
  return plan.listed().contains(id) ? "forget" : "keep";
}

}  // namespace

std::string summary_text(const ScoreTable& table, const TaskPlan& plan) {
  const bool images = plan.problem() == Problem::kImages;
  std::vector<std::vector<std::string>> scores;
  for (const auto& row : table.rows()) {
    if (!row.task_end) continue;
    const auto s = table.scores_after(row.task);
    scores.push_back({std::to_string(row.task), s.has_a ? percent(s.a) : "-",
                      s.has_f ? percent(s.f) : "-", s.has_f && s.has_a ? percent(s.s) : "-"});
    append_if(images, scores.back(), s.a_all ? percent(*s.a_all) : "-");
  }
  std::vector<std::string> header = {"after task", "A", "F", "S"};
  append_if(images, header, "A all");
  std::string text = markdown_table(header, scores);
  if (images) text += kTwoAccuracies;
  if (table.rows().empty()) return text;
  const auto& last = table.rows().back();
  std::vector<std::vector<std::string>> classes;
  for (const ClassId id : plan.task(last.task).seen()) {
    const auto own = std::find_if(
        table.rows().begin(), table.rows().end(),
        [&](const EvaluationRow& row) { return row.task_end && row.task == plan.task_of(id); });
    classes.push_back({plan.class_name(id), std::to_string(plan.task_of(id)), group_name(plan, id),
                       own == table.rows().end() ? "-" : accuracy(*own, id), accuracy(last, id)});
    append_if(images, classes.back(), accuracy_all(last, id));
  }
  header = {"class", "task", "group", "learned", "now"};
  append_if(images, header, "now, all");
  text += '\n' + markdown_table(header, classes);
  return text;
}

std::string class_table(const EvaluationRow& row, const TaskPlan& plan) {
  const bool images = plan.problem() == Problem::kImages;
  std::vector<std::vector<std::string>> classes;
  for (const ClassId id : plan.task(row.task).seen()) {
    const auto& count = row.classes.at(static_cast<size_t>(id));
    classes.push_back({plan.class_name(id), std::to_string(plan.task_of(id)), group_name(plan, id),
                       std::to_string(count.correct), std::to_string(count.total),
                       accuracy(row, id)});
    append_if(images, classes.back(), accuracy_all(row, id));
  }
  std::vector<std::string> header = {"class", "task", "group", "correct", "total", "accuracy"};
  append_if(images, header, "over all classes");
  return markdown_table(header, classes);
}

}  // namespace lethe
