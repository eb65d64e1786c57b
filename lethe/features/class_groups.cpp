#include "lethe/features/class_groups.h"

#include <ATen/ATen.h>

#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

at::Tensor rows_where(const at::Tensor& rows, const at::Tensor& kept) {
  return rows.defined() ? rows.index_select(0, kept) : rows;
}

// Fills group and counts from features, weights and a key per row. Returns the distinct keys.
at::Tensor group_by_key(ClassGroups& groups, const at::Tensor& keys) {
  // Sorted, so that the order of groups does not depend on the order of rows.
  const auto [distinct, inverse, rows] = at::_unique2(keys, /*sorted=*/true,
                                                      /*return_inverse=*/true,
                                                      /*return_counts=*/true);
  groups.group = inverse;
  groups.counts = groups.weights.defined() ? at::zeros({distinct.size(0)}, groups.weights.options())
                                                 .index_add_(0, inverse, groups.weights)
                                           : rows.to(groups.features.scalar_type());
  return distinct;
}

}  // namespace

at::Tensor ClassGroups::sums() const {
  const auto rows = weights.defined() ? features * weights.unsqueeze(1) : features;
  return at::zeros({size(), features.size(1)}, features.options()).index_add(0, group, rows);
}

at::Tensor ClassGroups::means() const { return sums() / counts.unsqueeze(1); }

at::Tensor ClassGroups::sum_rows(const at::Tensor& values) const {
  require_shape("values", values, {features.size(0)});
  return at::zeros({size()}, values.options())
      .index_add(0, group, weights.defined() ? values * weights : values);
}

at::Tensor ClassGroups::mean_rows(const at::Tensor& values) const {
  return sum_rows(values) / counts;
}

at::Tensor ClassGroups::mean_groups(const at::Tensor& values) const {
  require_shape("values", values, {size()});
  if (size() == 0) return at::zeros({}, features.options());
  if (!images.defined()) return values.mean();
  const auto [distinct, inverse, counts_of_images] = at::_unique2(images, true, true, true);
  const auto groups_of_image = counts_of_images.to(values.scalar_type()).index_select(0, inverse);
  return (values / groups_of_image).sum() / static_cast<double>(distinct.size(0));
}

ClassGroups group_by_class(const at::Tensor& features, const at::Tensor& labels,
                           const at::Tensor& weights, const at::Tensor& images, LabelKind kind) {
  require_shape("features", features, {kAnySize, kAnySize});
  require_shape("labels", labels, {features.size(0)});
  if (weights.defined()) require_shape("weights", weights, {features.size(0)});
  if (images.defined()) require_shape("images", images, {features.size(0)});
  at::Tensor kept;
  if (kind == LabelKind::kPixel) kept = (labels != kVoid).nonzero().squeeze(1);
  const bool all = !kept.defined() || kept.size(0) == labels.size(0);
  const auto some = [&](const at::Tensor& rows) { return all ? rows : rows_where(rows, kept); };

  ClassGroups groups;
  groups.features = some(features);
  groups.weights = some(weights);
  const auto own = some(labels);
  if (!images.defined()) {
    groups.classes = group_by_key(groups, own);
    return groups;
  }
  constexpr int64_t kStride = int64_t{1} << 32;  // more than any class
  const auto pairs = group_by_key(groups, some(images) * kStride + own);
  groups.classes = pairs.remainder(kStride);
  groups.images = at::floor_divide(pairs, kStride);
  return groups;
}

at::Tensor is_in(const at::Tensor& classes, const ClassSet& set) {
  return at::isin(classes, at::tensor(set.ids(), at::kLong).to(classes.device()));
}

ClassGroups select(const ClassGroups& groups, const ClassSet& classes) {
  const auto is_wanted = is_in(groups.classes, classes);
  const auto kept_groups = is_wanted.nonzero().squeeze(1);
  if (kept_groups.size(0) == groups.size()) return groups;
  const auto kept_rows = is_wanted.index_select(0, groups.group).nonzero().squeeze(1);
  const auto renumbered = is_wanted.to(at::kLong).cumsum(0) - 1;

  ClassGroups some;
  some.features = groups.features.index_select(0, kept_rows);
  some.weights = rows_where(groups.weights, kept_rows);
  some.group = renumbered.index_select(0, groups.group.index_select(0, kept_rows));
  some.classes = groups.classes.index_select(0, kept_groups);
  some.images = rows_where(groups.images, kept_groups);
  some.counts = groups.counts.index_select(0, kept_groups);
  return some;
}

}  // namespace lethe
