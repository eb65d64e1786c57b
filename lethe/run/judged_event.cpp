#include "lethe/run/judged_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lethe/report/table.h"

namespace lethe {

using nlohmann::ordered_json;

namespace {

// The loss of the kept class that lost most.
double worst_kept_fall(const Task& task, const EvaluationRow& before, const EvaluationRow& after,
                       const TaskPlan& plan) {
  std::optional<double> worst;
  for (const auto& fall : kept_falls(task, before, after, plan, {.kept_fall = -2}))
    worst = std::max(worst.value_or(-1), fall.before - fall.after);
  return worst.value_or(0);
}

}  // namespace

Judged judge_event(const TaskDone& done, const ScoreTable& table, const TaskPlan& plan,
                   const VerdictOptions& options) {
  Judged judged;
  for (const auto& request : done.requests) {
    for (const auto& one : judge_request(request, done.task.number, table, plan, options)) {
      judged.verdicts.push_back(one);
      judged.acceptable = judged.acceptable && is_carried_out(one, request.effect);
    }
  }
  const auto* before = table.version_row(done.task.number - 1);
  const auto* after = table.end_row(done.task.number);
  if (before != nullptr && after != nullptr) {
    judged.falls = kept_falls(done.task, *before, *after, plan, options);
    judged.mean_fall = mean_kept_fall(done.task, *before, *after, plan);
    judged.worst_fall = worst_kept_fall(done.task, *before, *after, plan);
  }
  if (after != nullptr && done.task.learns())
    judged.learned = level_of(done.task, *after, plan, options).accuracy;
  judged.acceptable =
      judged.acceptable && judged.falls.empty() && judged.mean_fall <= options.mean_fall;
  return judged;
}

Closing decide(const TaskDone& done, const LedgerKeeper& keeper, const ScoreTable& table,
               const TaskPlan& plan, const VerdictOptions& options, bool accept) {
  if (done.requests.empty()) return {};
  if (accept) return {.erase = done.task.retrained ? done.task.forgotten : done.task.requested};
  if (!judge_event(done, table, plan, options).acceptable) return {.erase = {}, .reject = true};
  // Trained without the classes of all requests so far, also of those that had no effect.
  if (done.task.retrained) return {.erase = done.task.forgotten};
  return {.erase = keeper.carried_out(done)};
}

std::string verdict_table(const Judged& judged, const TaskPlan& plan) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](ClassId id, double before, double after, std::string what) {
    rows.push_back({plan.class_name(id), percent(before), percent(after), std::move(what)});
  };
  for (const auto& one : judged.verdicts) add(one.id, one.before, one.after, name_of(one.verdict));
  for (const auto& one : judged.falls) add(one.id, one.before, one.after, "kept, fell too far");
  return markdown_table({"class", "before", "after", "verdict"}, rows) +
         fmt::format("kept classes: {} points on average\n", signed_points(-judged.mean_fall));
}

EventFigures figures_of(const Judged& judged, const TaskPlan& plan) {
  EventFigures figures{.forgotten = {},
                       .learned = judged.learned,
                       .mean_fall = judged.mean_fall,
                       .worst_fall = judged.worst_fall};
  for (const auto& one : judged.verdicts)
    figures.forgotten.push_back(
        {plan.class_name(one.id), one.before, one.after, name_of(one.verdict)});
  return figures;
}

ordered_json to_json(const Judged& judged, const TaskPlan& plan) {
  ordered_json verdicts = ordered_json::object();
  for (const auto& one : judged.verdicts) verdicts[plan.class_name(one.id)] = name_of(one.verdict);
  ordered_json falls = ordered_json::object();
  for (const auto& one : judged.falls)
    falls[plan.class_name(one.id)] = {{"before", one.before}, {"after", one.after}};
  return {{"verdicts", verdicts}, {"falls", falls}, {"mean_fall", judged.mean_fall}};
}

}  // namespace lethe
