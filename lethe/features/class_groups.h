// The rows of a batch (feature vectors of samples or pixels) grouped by class. Only classes present
// in the batch have a group, so the cost does not depend on the number of classes in the stream.
// Per-class sums take a single scatter operation.
#pragma once

#include <ATen/core/Tensor.h>

#include "lethe/core/class_set.h"

namespace lethe {

struct ClassGroups {
  at::Tensor features;  // [N, D]
  at::Tensor weights;   // [N] weight of each row; undefined = all 1
  at::Tensor group;     // int64 [N]: the group of each row, 0 ... G-1
  at::Tensor classes;   // int64 [G], ascending (per image, if images is set)
  at::Tensor images;    // int64 [G]: the image of each group; undefined = groups span the batch
  at::Tensor counts;    // [G] sum of the weights of the rows of each group, > 0

  int64_t size() const { return classes.size(0); }

  // [G, D] weighted sums and means of the rows, with gradient.
  at::Tensor sums() const;
  at::Tensor means() const;

  // Reduces one value per row to one per group: sum or weighted mean.
  at::Tensor sum_rows(const at::Tensor& values) const;
  at::Tensor mean_rows(const at::Tensor& values) const;

  // Reduces one value per group to a scalar: the mean over groups. For per-image groups: the mean
  // over the groups of each image, then over images. 0 if there are no groups.
  at::Tensor mean_groups(const at::Tensor& values) const;
};

// kClass: labels are class ids. kPixel: labels are mask pixels, where kVoid means "no class".
enum class LabelKind { kClass, kPixel };

// features [N, D], labels int64 [N]; void pixels are skipped. weights: see ClassGroups. If images
// (int64 [N]) is given, groups are per image.
ClassGroups group_by_class(const at::Tensor& features, const at::Tensor& labels,
                           const at::Tensor& weights = {}, const at::Tensor& images = {},
                           LabelKind kind = LabelKind::kClass);

// Whether each of the classes (int64 [G]) is in the set: bool [G].
at::Tensor is_in(const at::Tensor& classes, const ClassSet& set);

// The groups of the given classes.
ClassGroups select(const ClassGroups& groups, const ClassSet& classes);

}  // namespace lethe
