#include "lethe/metrics/feature_figures.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/core/signals.h"
#include "lethe/data/loader.h"
#include "lethe/features/pixels.h"
#include "lethe/metrics/few_shot.h"
#include "lethe/metrics/linear_probe.h"
#include "lethe/model/evaluation_mode.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

struct Rows {
  at::Tensor features;  // float [N, D] on the CPU
  at::Tensor labels;    // int64 [N]
};

std::vector<int64_t> evenly(std::vector<int64_t> all, int64_t count) {
  const auto size = static_cast<int64_t>(all.size());
  if (size <= count) return all;
  std::vector<int64_t> some;
  for (int64_t i = 0; i < count; ++i) some.push_back(all[static_cast<size_t>(i * size / count)]);
  return some;
}

// Features of positions (or images) with their true class, without void.
Rows rows_of(Network& network, const DatasetPtr& dataset, const std::vector<int64_t>& samples,
             const TaskPlan& plan, const Task& task, const FeatureFigureOptions& options) {
  const at::NoGradGuard no_grad;
  const EvaluationMode mode(network);
  std::vector<at::Tensor> features, labels;
  Loader loader(dataset, samples, plan.eval_labels(task), Transform(dataset->info()),
                {.batch = options.batch, .threads = options.loader_threads});
  while (auto batch = loader.next()) {
    if (stop_requested()) throw Interrupted("stopped by a signal while measuring features");
    const auto map = network.forward(batch->images.to(network.device())).features.cpu();
    if (map.dim() == 2) {
      features.push_back(map);
      labels.push_back(batch->labels);
      continue;
    }
    const auto small = downsample_labels(batch->labels, map.size(2), map.size(3)).flatten();
    const int64_t all = std::ssize(samples) * map.size(2) * map.size(3);
    const int64_t every = (all + options.positions - 1) / options.positions;
    const auto valid = (small != kVoid).nonzero().squeeze(1).slice(0, 0, at::nullopt, every);
    features.push_back(pixel_rows(map).index_select(0, valid));
    labels.push_back(small.index_select(0, valid));
  }
  if (features.empty()) return {at::empty({0, 1}), at::empty({0}, at::kLong)};
  return {at::cat(features), at::cat(labels)};
}

at::Tensor rows_where(const at::Tensor& rows, const at::Tensor& chosen) {
  return rows.index_select(0, chosen.nonzero().squeeze(1));
}

double mean_distance(const at::Tensor& rows, const at::Tensor& point) {
  return (rows - point).norm(2, 1).mean().item<double>();
}

// The features of one network, and what is measured on them.
class Measured {
 public:
  Measured(Rows fit, Rows rows)
      : fit_(std::move(fit)), rows_(std::move(rows)), probe_(fit_.features) {}

  // Whether the class has enough features to be measured.
  bool has(ClassId id) const {
    return (fit_.labels == id).sum().item<int64_t>() >= 2 &&
           (rows_.labels == id).sum().item<int64_t>() >= 2;
  }
  at::Tensor rows_of(ClassId id) const { return rows_where(rows_.features, rows_.labels == id); }
  double probe(ClassId id) const {
    return probe_.accuracy(fit_.labels == id, rows_.features, rows_.labels == id);
  }
  std::map<ClassId, double> shots(const ClassSet& classes) const {
    return few_shot_accuracy(fit_.features, fit_.labels, rows_.features, rows_.labels, classes);
  }

 private:
  Rows fit_, rows_;
  LinearProbe probe_;
};

// The classes that a class is compared with: those of its task, or all if it is alone.
ClassSet rivals_of(ClassId id, const TaskPlan& plan, const ClassSet& old) {
  const auto own = plan.task(plan.task_of(id)).new_classes & old;
  return own.size() > 1 ? own : old;
}

std::map<ClassId, ClassFeatures> figures_of(const ClassSet& classes, const Measured& before,
                                            const Measured& now, const TaskPlan& plan,
                                            const ClassSet& old) {
  std::map<ClassId, ClassFeatures> figures;
  std::map<std::vector<ClassId>, std::pair<std::map<ClassId, double>, std::map<ClassId, double>>>
      shots;  // by group of rivals
  for (const ClassId id : classes) {
    if (!before.has(id)) continue;
    const auto was = before.rows_of(id);
    const auto prototype = was.mean(0);
    const double spread = std::max(mean_distance(was, prototype), 1e-12);
    auto& own = figures[id];
    own.distance = mean_distance(now.rows_of(id), prototype) / spread;
    own.probe_before = before.probe(id);
    own.probe = now.probe(id);
    const auto rivals = rivals_of(id, plan, old);
    const auto [group, is_new] = shots.try_emplace(rivals.ids());
    if (is_new) group->second = {before.shots(rivals), now.shots(rivals)};
    const auto& [shots_before, shots_now] = group->second;
    if (const auto found = shots_before.find(id); found != shots_before.end())
      own.shots_before = found->second;
    if (const auto found = shots_now.find(id); found != shots_now.end()) own.shots = found->second;
  }
  return figures;
}

}  // namespace

ClassFeatures mean_of(const std::map<ClassId, ClassFeatures>& classes) {
  ClassFeatures sum;
  double shots_before = 0, shots = 0;
  int64_t with_shots = 0;
  for (const auto& [id, own] : classes) {
    const auto share = 1.0 / static_cast<double>(classes.size());
    sum.distance += share * own.distance;
    sum.probe_before += share * own.probe_before;
    sum.probe += share * own.probe;
    if (!own.shots || !own.shots_before) continue;
    shots_before += *own.shots_before;
    shots += *own.shots;
    ++with_shots;
  }
  if (with_shots > 0) {
    sum.shots_before = shots_before / static_cast<double>(with_shots);
    sum.shots = shots / static_cast<double>(with_shots);
  }
  return sum;
}

FeatureFigures feature_figures(const std::vector<BeforeRequest>& requests, Network& after,
                               const DatasetPtr& train, const DatasetPtr& eval,
                               const TaskPlan& plan, const Task& task,
                               const FeatureFigureOptions& options) {
  const ClassSet background = plan.problem() == Problem::kMasks ? ClassSet{0} : ClassSet{};
  const ClassSet old = (task.kept | task.forgotten) - background;
  const auto fit_samples = evenly(plan.samples_with(*train, old), options.images);
  const auto samples = evenly(plan.samples_with(*eval, old), options.images);
  const auto measured = [&](Network& network) {
    return Measured(rows_of(network, train, fit_samples, plan, task, options),
                    rows_of(network, eval, samples, plan, task, options));
  };
  const auto now = measured(after);

  FeatureFigures figures;
  for (const auto& request : requests) {
    const auto before = measured(*request.network);
    const auto known = old & plan.task(request.task).seen();
    figures.forgotten.merge(figures_of(request.classes & known, before, now, plan, known));
    // merge() keeps what is there: a class is compared with the first network that knew it.
    figures.kept.merge(figures_of(task.kept & known, before, now, plan, known));
  }
  return figures;
}

}  // namespace lethe
