#include "lethe/record/outcome.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lethe/core/files.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::map<std::string, double> mean_shares(const fs::path& metrics_file, int64_t task) {
  std::map<std::string, double> sums;
  std::map<std::string, double> counts;
  std::istringstream lines(read_text(metrics_file));
  for (std::string line; std::getline(lines, line);) {
    const auto record = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!record.is_object() || record.value("type", "") != "steps" ||
        record.value("task", int64_t{0}) != task)
      continue;
    for (const auto& [name, term] : record.at("terms").items()) {
      if (!term.contains("share") || !term.at("share").is_number()) continue;
      sums[name] += term.at("share").get<double>();
      counts[name] += 1;
    }
  }
  for (auto& [name, sum] : sums) sum /= counts[name];
  return sums;
}

// The evaluations of the first task with a request, and the one before it.
std::vector<EpochPoint> epoch_points(const ScoreTable& table, const TaskPlan& plan) {
  const auto& requests = plan.requests();
  if (requests.empty()) return {};
  int64_t task = requests.front().before_task;
  for (const auto& request : requests) task = std::min(task, request.before_task);
  if (task > plan.last_learning_task()) return {};
  std::vector<EpochPoint> points;
  bool within = false;
  for (const auto& row : table.rows()) {
    const bool before = row.task == task - 1 && row.task_end;
    if (!before && row.task != task) continue;
    within = within || !row.task_end;
    points.push_back({.epoch = before ? 0 : row.epoch,
                      .forgotten = table.value_of(row, plan.task(task).forgotten),
                      .fresh = before ? 0 : table.value_of(row, plan.task(task).new_classes)});
  }
  return within ? points : std::vector<EpochPoint>{};
}

std::optional<double> most_left(const ScoreTable& table, const TaskPlan& plan) {
  if (table.rows().empty()) return std::nullopt;
  const auto& row = table.rows().back();
  std::optional<double> most;
  for (const auto& request : plan.requests()) {
    if (request.before_task > row.task) continue;
    for (const ClassId id : request.classes)
      most = std::max(most.value_or(0), table.value_of(row, ClassSet({id})));
  }
  return most;
}

}  // namespace

RunOutcome outcome_of(const ScoreTable& table, const TaskPlan& plan, const fs::path& metrics_file) {
  RunOutcome outcome;
  for (const auto& row : table.rows()) {
    if (!row.task_end) continue;
    outcome.after.push_back(table.scores_after(row.task));
    for (int64_t task = 1; task <= std::min(row.task, plan.last_learning_task()); ++task) {
      if (!plan.task(task).learns()) continue;
      outcome.matrix.push_back(
          {.after_task = row.task, .task = task, .cell = table.cell(row, task)});
    }
  }
  if (!outcome.after.empty()) {
    outcome.last = outcome.after.back();
    if (plan.problem() == Problem::kMasks)
      outcome.by_iou = table.scores_after(std::ssize(outcome.after), SegValue::kIou);
  }
  outcome.mean = table.mean_scores();
  if (!table.rows().empty()) outcome.predicted_as = table.forgotten_as(table.rows().back());
  outcome.most_left = most_left(table, plan);
  outcome.epochs = epoch_points(table, plan);
  outcome.shares = mean_shares(metrics_file, plan.last_learning_task());
  return outcome;
}

}  // namespace lethe
