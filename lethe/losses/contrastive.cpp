#include "lethe/losses/contrastive.h"

#include <ATen/ATen.h>

#include <cmath>

#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

at::Tensor reduce_rows(const ClassGroups& groups, const at::Tensor& values, RowReduce reduce) {
  return reduce == RowReduce::kMean ? groups.mean_rows(values) : groups.sum_rows(values);
}

// sqrt with gradient 0 at 0.
at::Tensor safe_sqrt(const at::Tensor& squares) {
  const auto zero = squares == 0;
  return at::where(zero, squares, squares.masked_fill(zero, 1).sqrt());
}

// Distances of the rows to the prototype of their class, one per group.
at::Tensor group_distances(const ClassGroups& groups, const at::Tensor& prototypes,
                           const ContrastiveLossOptions& options) {
  const auto difference = groups.features - prototypes.index_select(0, groups.group);
  switch (options.distance) {
    case Distance::kL2:
      return reduce_rows(groups, difference.norm(2, 1), options.reduce);
    case Distance::kMse:
      return reduce_rows(groups, difference.square().mean(1), options.reduce);
    case Distance::kFrobenius:
      break;
  }
  return safe_sqrt(groups.sum_rows(difference.square().sum(1)));
}

// d^-power, constant below the floor, but with the gradient at the floor.
at::Tensor bounded_inverse(const at::Tensor& d, double power, double floor) {
  const auto inverse = d.clamp_min(floor).pow(-power);
  const double slope = -power * std::pow(floor, -power - 1);
  return at::where(d < floor, inverse.detach() + slope * (d - d.detach()), inverse);
}

}  // namespace

at::Tensor attraction_loss(const ClassGroups& groups, const at::Tensor& prototypes,
                           const ContrastiveLossOptions& options) {
  require_shape("prototypes", prototypes, {groups.size(), groups.features.size(1)});
  return groups.mean_groups(group_distances(groups, prototypes, options));
}

at::Tensor dispersion_loss(const ClassGroups& groups, const at::Tensor& prototypes,
                           const ContrastiveLossOptions& options) {
  require_shape("prototypes", prototypes, {groups.size(), groups.features.size(1)});
  const auto channels = static_cast<double>(groups.features.size(1));
  const bool mse = options.distance == Distance::kMse;
  if (options.distance == Distance::kFrobenius || options.inverse == Inverse::kPerClass) {
    const double floor = mse ? options.floor * options.floor / channels : options.floor;
    return groups.mean_groups(
        bounded_inverse(group_distances(groups, prototypes, options), 1, floor));
  }
  // 1/mse = C / d^2 in terms of the l2 distance d.
  const auto d = (groups.features - prototypes.index_select(0, groups.group)).norm(2, 1);
  const auto inverse =
      mse ? channels * bounded_inverse(d, 2, options.floor) : bounded_inverse(d, 1, options.floor);
  return groups.mean_groups(reduce_rows(groups, inverse, options.reduce));
}

at::Tensor separation_loss(const at::Tensor& means, const at::Tensor& anchors, PairReduce reduce,
                           double floor) {
  require_shape("means", means, {kAnySize, kAnySize});
  require_shape("anchors", anchors, {means.size(0)});
  const int64_t classes = means.size(0);
  const auto kept = anchors.to(means.scalar_type());
  if (classes < 2) return at::zeros({}, means.options());
  // Above the diagonal: every pair of different classes once.
  const auto pairs =
      at::triu_indices(classes, classes, 1, at::TensorOptions(at::kLong)).to(means.device());
  const auto distances =
      at::cdist(means, means, 2, /*compute_mode=*/2)  // 2: exact, not by a matrix product
          .index({pairs[0], pairs[1]});
  const auto inverse = bounded_inverse(distances, 1, floor);
  if (reduce == PairReduce::kPairs) return inverse.mean();
  // A pair counts once for each of its ends that is an anchor.
  const auto ends = kept.index_select(0, pairs[0]) + kept.index_select(0, pairs[1]);
  return (inverse * ends).sum() / kept.sum().clamp_min(1);
}

at::Tensor background_loss(const ClassGroups& groups, const at::Tensor& background,
                           const ContrastiveLossOptions& options) {
  return attraction_loss(groups, background.unsqueeze(0).expand({groups.size(), -1}), options);
}

at::Tensor prototype_loss(const at::Tensor& means, const at::Tensor& prototypes,
                          Distance distance) {
  require_shape("means", means, {prototypes.size(0), prototypes.size(1)});
  if (means.size(0) == 0) return at::zeros({}, means.options());
  const auto difference = means - prototypes;
  return distance == Distance::kMse ? difference.square().mean() : difference.norm(2, 1).mean();
}

}  // namespace lethe
