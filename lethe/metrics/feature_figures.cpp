#include "lethe/metrics/feature_figures.h"

#include <algorithm>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/core/signals.h"
#include "lethe/data/loader.h"
#include "lethe/features/pixels.h"
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

}  // namespace

ClassFeatures FeatureFigures::mean() const {
  ClassFeatures sum;
  for (const auto& [id, own] : classes) {
    const auto share = 1.0 / static_cast<double>(classes.size());
    sum.distance += share * own.distance;
    sum.probe_before += share * own.probe_before;
    sum.probe += share * own.probe;
  }
  return sum;
}

FeatureFigures feature_figures(const std::vector<BeforeRequest>& requests, Network& after,
                               const DatasetPtr& train, const DatasetPtr& eval,
                               const TaskPlan& plan, const Task& task,
                               const FeatureFigureOptions& options) {
  const ClassSet old = task.kept | task.forgotten;
  const auto fit_samples = evenly(plan.samples_with(*train, old), options.images);
  const auto samples = evenly(plan.samples_with(*eval, old), options.images);
  const auto fit_now = rows_of(after, train, fit_samples, plan, task, options);
  const auto rows_now = rows_of(after, eval, samples, plan, task, options);
  const LinearProbe probe(fit_now.features);

  FeatureFigures figures;
  for (const auto& [classes, before] : requests) {
    const auto fit_before = rows_of(*before, train, fit_samples, plan, task, options);
    const auto rows_before = rows_of(*before, eval, samples, plan, task, options);
    const LinearProbe probe_before(fit_before.features);
    for (const ClassId id : classes) {
      const auto is_fit = fit_before.labels == id;
      const auto is_own = rows_before.labels == id;
      if (is_fit.sum().item<int64_t>() < 2 || is_own.sum().item<int64_t>() < 2) continue;
      const auto was = rows_where(rows_before.features, is_own);
      const auto prototype = was.mean(0);
      const double spread = mean_distance(was, prototype);
      figures.classes[id] = {
          .distance = mean_distance(rows_where(rows_now.features, is_own), prototype) /
                      std::max(spread, 1e-12),
          .probe_before = probe_before.accuracy(is_fit, rows_before.features, is_own),
          .probe = probe.accuracy(is_fit, rows_now.features, is_own)};
    }
  }
  return figures;
}

}  // namespace lethe
