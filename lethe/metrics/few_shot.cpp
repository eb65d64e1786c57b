#include "lethe/metrics/few_shot.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "lethe/core/random.h"

namespace lethe {

namespace {

struct ClassRows {
  ClassId id = 0;
  at::Tensor rows;  // of unit length
};

at::Tensor unit(const at::Tensor& rows) {
  const auto values = rows.to(at::kDouble);
  return values / values.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);
}

std::vector<ClassRows> by_class(const at::Tensor& rows, const at::Tensor& labels,
                                const ClassSet& classes) {
  std::vector<ClassRows> all;
  for (const ClassId id : classes) {
    const auto own = (labels == id).nonzero().squeeze(1);
    if (own.size(0) > 0) all.push_back({id, unit(rows.index_select(0, own))});
  }
  return all;
}

at::Tensor mean_of_some(const ClassRows& own, int64_t draw, const FewShotOptions& options) {
  Random random(options.seed, Purpose::kShots, static_cast<uint32_t>(draw),
                static_cast<uint32_t>(own.id));
  auto order = random.permutation(own.rows.size(0));
  order.resize(static_cast<size_t>(std::min(options.shots, own.rows.size(0))));
  return own.rows.index_select(0, at::tensor(order, at::kLong)).mean(0);
}

}  // namespace

at::Tensor few_shot_hits(const at::Tensor& fit, const at::Tensor& fit_labels,
                         const at::Tensor& rows, const at::Tensor& labels, const ClassSet& classes,
                         const FewShotOptions& options) {
  const auto known = by_class(fit, fit_labels, classes);
  if (known.size() < 2) return {};
  const auto asked = unit(rows);
  std::vector<int64_t> ids;
  for (const auto& own : known) ids.push_back(own.id);
  const auto id_of = at::tensor(ids, at::kLong);
  auto hits = at::zeros({rows.size(0)}, at::kDouble);
  for (int64_t draw = 0; draw < options.draws; ++draw) {
    std::vector<at::Tensor> means;
    for (const auto& own : known) means.push_back(mean_of_some(own, draw, options));
    const auto nearest = asked.matmul(unit(at::stack(means)).t()).argmax(1);
    hits += (id_of.index_select(0, nearest) == labels).to(at::kDouble);
  }
  return hits / static_cast<double>(options.draws);
}

std::map<ClassId, double> few_shot_accuracy(const at::Tensor& fit, const at::Tensor& fit_labels,
                                            const at::Tensor& rows, const at::Tensor& labels,
                                            const ClassSet& classes,
                                            const FewShotOptions& options) {
  const auto hits = few_shot_hits(fit, fit_labels, rows, labels, classes, options);
  std::map<ClassId, double> accuracy;
  if (!hits.defined()) return accuracy;
  for (const ClassId id : classes) {
    const auto own = (labels == id).nonzero().squeeze(1);
    if (own.size(0) > 0) accuracy[id] = hits.index_select(0, own).mean().item<double>();
  }
  return accuracy;
}

}  // namespace lethe
