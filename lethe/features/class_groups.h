// The rows of a batch (feature vectors of samples, or of pixels) sorted into classes. Only classes
// that are present have a group, so that no cost depends on how many there are in the stream; sums
// over a class are one scatter.
#pragma once

#include <ATen/core/Tensor.h>

#include "lethe/core/class_set.h"

namespace lethe {

struct ClassGroups {
  at::Tensor features;  // [N, D]
  at::Tensor weights;   // [N] how often a row counts; undefined = once each
  at::Tensor group;     // int64 [N]: which group a row belongs to, 0 ... G-1
  at::Tensor classes;   // int64 [G], ascending (within an image)
  at::Tensor images;    // int64 [G]: the image of a group; undefined = groups span the batch
  at::Tensor counts;    // [G] sum of the weights of its rows, > 0

  int64_t size() const { return classes.size(0); }

  // [G, D] weighted sums and means of the rows, with gradient.
  at::Tensor sums() const;
  at::Tensor means() const;

  // One value per row to one per group: sum, or mean over what the rows count.
  at::Tensor sum_rows(const at::Tensor& values) const;
  at::Tensor mean_rows(const at::Tensor& values) const;

  // One value per group to a scalar: the mean over groups; per image, the mean over images of the
  // mean over their groups. Zero without groups.
  at::Tensor mean_groups(const at::Tensor& values) const;
};

// What a label may be: any class, or a pixel of a mask, of which kVoid is none.
enum class LabelKind { kClass, kPixel };

// features [N, D], labels int64 [N]; rows of void pixels are left out. weights as above. images
// int64 [N] gives groups per image.
ClassGroups group_by_class(const at::Tensor& features, const at::Tensor& labels,
                           const at::Tensor& weights = {}, const at::Tensor& images = {},
                           LabelKind kind = LabelKind::kClass);

// Which of classes (int64 [G]) are in the set: bool [G].
at::Tensor is_in(const at::Tensor& classes, const ClassSet& set);

// The groups of the given classes.
ClassGroups select(const ClassGroups& groups, const ClassSet& classes);

}  // namespace lethe
