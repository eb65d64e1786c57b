#include "lethe/run/evaluate_run.h"

#include <fmt/format.h>

#include "lethe/core/error.h"
#include "lethe/metrics/recorder.h"
#include "lethe/model/load_weights.h"
#include "lethe/report/summary.h"
#include "lethe/report/table.h"
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
  }
  return true;
}

}  // namespace

EvalResult evaluate_run(const std::filesystem::path& run, int64_t task) {
  RunConfig config;
  read_run_config(config, run);
  config.model.pretrained.clear();  // the checkpoint has all weights
  const auto last = last_finished_task(run);
  if (!last) throw_error<DataError>("{}: no task is finished yet", run.string());
  if (task == 0) task = *last;
  const auto folder = task_folder(run, task);
  if (!std::filesystem::exists(folder)) {
    throw_error<DataError>("{}: there is no checkpoint of task {}; finished are 1 to {}",
                           run.string(), task, *last);
  }
  const auto experiment = make_experiment(config);
  const auto& plan = *experiment.plan;
  auto& network = *experiment.network;
  for (int64_t number = 1; number <= task; ++number) {
    const auto& step = plan.task(number);
    if (step.has_images())
      network.add_classes(step.new_classes.size(), static_cast<uint64_t>(config.train.seed));
  }
  network.to(network.device());
  load_state(network, read_checkpoint(folder).model, folder.string());

  const auto evaluation = evaluate(
      network, experiment.eval, plan, plan.task(task),
      {.batch = config.eval.batch, .loader_threads = static_cast<int>(config.data.threads)});
  EvalResult result{.task = task, .scores = {}, .text = "", .same = false};
  ScoreTable table(plan, config.metric);
  for (const auto& row : read_evaluations(run / "metrics.jsonl")) {
    if (row.task > task) break;
    if (!row.task_end || row.task < task) {
      table.add(row);
      continue;
    }
    table.add(to_row(evaluation, task, row.epoch, /*task_end=*/true));
    result.same = same_counts(row, table.rows().back());
  }
  result.scores = table.scores_after(task);
  const auto& s = result.scores;
  result.text = fmt::format(
      "{}\nafter task {} on {} {} images: A {}  F {}  S {}\n{}\n",
      class_table(table.rows().back(), plan), task, evaluation.images, config.eval.split,
      percent(s.a), percent(s.f), percent(s.s),
      result.same ? "equal to the evaluation at the end of training, count by count"
                  : "NOT equal to the evaluation at the end of training (metrics.jsonl)");
  return result;
}

}  // namespace lethe
