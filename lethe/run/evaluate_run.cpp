#include "lethe/run/evaluate_run.h"

#include <fmt/format.h>

#include "lethe/core/error.h"
#include "lethe/core/text.h"
#include "lethe/record/evaluations.h"
#include "lethe/record/run_files.h"
#include "lethe/record/verify.h"
#include "lethe/report/summary.h"
#include "lethe/report/table.h"
#include "lethe/run/data_record.h"
#include "lethe/run/experiment.h"
#include "lethe/run/runner.h"

namespace lethe {

namespace {

bool same_counts(const EvaluationRow& a, const EvaluationRow& b) {
  if (a.classes.size() != b.classes.size()) return false;
  for (size_t i = 0; i < a.classes.size(); ++i) {
    const auto& x = a.classes[i];
    const auto& y = b.classes[i];
    if (x.correct != y.correct || x.total != y.total || x.predicted != y.predicted) return false;
    // Records of version 0.1 have no counts over all classes.
    if (x.correct_all && y.correct_all && x.correct_all != y.correct_all) return false;
  }
  return true;
}

}  // namespace

EvalResult evaluate_run(const std::filesystem::path& run, int64_t task) {
  RunConfig config;
  read_run_config(config, run);
  config.model.pretrained.clear();  // the checkpoint has all weights
  require_intact(run);
  const auto finished = versions_of(run);
  if (task == 0 && !finished.empty()) task = finished.back();
  const auto folder = version_of(run, task);
  const Ledger ledger(run);
  const auto experiment = make_experiment(config, read_history(ledger));
  const auto& plan = *experiment.plan;
  auto& network = *experiment.network;
  if (task > static_cast<int64_t>(plan.tasks().size()))
    throw_error<DataError>("{}: the task plan of this run has only {}", folder.string(),
                           counted(static_cast<int64_t>(plan.tasks().size()), "task"));
  const auto checkpoint = read_checkpoint(folder);
  const auto seen = plan.task(task).without(erased_in(checkpoint)).seen();
  check_run_data(run, ledger, config.data, {.test = class_names(plan, seen)});
  restore_network(network, plan, task, static_cast<uint64_t>(config.train.seed), checkpoint,
                  folder.string());

  const auto evaluation = evaluate(
      network, experiment.eval, plan, plan.task(task).without(erased_in(checkpoint)),
      {.batch = *config.eval.batch, .loader_threads = static_cast<int>(config.data.threads)});
  EvalResult result{.task = task, .scores = {}, .text = "", .same = false};
  ScoreTable recorded(plan, config.metric);
  for (auto& row : read_evaluations(run / kMetricsFile)) {
    if (row.task <= task) recorded.add(std::move(row));
  }
  for (int64_t number = 1; number <= task; ++number) {
    if (recorded.end_row(number) == nullptr)
      throw_error<DataError>("{}: has no evaluation at the end of task {}",
                             (run / kMetricsFile).string(), number);
  }
  const auto& end = *recorded.end_row(task);
  auto now = to_row(evaluation, task, end.epoch, Moment::kEnd);
  result.same = same_counts(*recorded.version_row(task), now);
  // Erased classes count as they were measured last, with their rows in place.
  for (const ClassId id : erased_in(checkpoint))
    now.classes.at(static_cast<size_t>(id)) = end.classes.at(static_cast<size_t>(id));
  ScoreTable table(plan, config.metric);
  for (const auto& row : recorded.rows()) {
    if (&row != &end) table.add(row);
  }
  table.add(std::move(now));
  result.scores = table.scores_after(task);
  const auto& s = result.scores;
  result.text = fmt::format(
      "{}\nafter task {} on {}{}: A {}  F {}  S {}{}\n{}\n", class_table(table.rows().back(), plan),
      task, counted(evaluation.images, config.eval.split + " image"),
      s.a_all ? ", with the task given" : "", s.has_a ? percent(s.a) : "-",
      s.has_f ? percent(s.f) : "-", s.has_f && s.has_a ? percent(s.s) : "-",
      s.a_all ? fmt::format("; A over all classes seen {}", percent(*s.a_all)) : "",
      result.same ? "identical to the evaluation at the end of training, in all counts"
                  : "NOT identical to the evaluation at the end of training (metrics.jsonl)");
  return result;
}

}  // namespace lethe
