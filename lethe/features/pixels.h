// From maps to rows: the positions of a feature map as feature vectors, with the class of each
// (specification 5.8).
#pragma once

#include <ATen/core/Tensor.h>

#include "lethe/core/class_set.h"
#include "lethe/features/class_groups.h"

namespace lethe {

// Labels [B, H, W] at the positions of a map of size h x w: row floor(i H / h), column floor(j W /
// w).
at::Tensor downsample_labels(const at::Tensor& labels, int64_t height, int64_t width);

// [B, D, h, w] -> [B h w, D], image by image, row by row.
at::Tensor pixel_rows(const at::Tensor& map);

// Labels [B, H, W] of the task with background replaced by the old model's prediction; old logits
// are [B, K_old, H, W]. Predictions with a probability below threshold stay background.
at::Tensor pseudo_labels(const at::Tensor& labels, const at::Tensor& old_logits,
                         double threshold = 0);

// The same at the positions of a map of size h x w. Without old logits (undefined): the labels of
// the task.
at::Tensor pseudo_labels_at(const at::Tensor& labels, const at::Tensor& old_logits, int64_t height,
                            int64_t width, double threshold = 0);

enum class GroupScope { kBatch, kImage };

// The positions of a feature map [B, D, h, w] grouped by class, without void.
ClassGroups group_pixels(const at::Tensor& map, const at::Tensor& labels, GroupScope scope);

// The labels, with the classes of the set turned into background.
at::Tensor without_classes(const at::Tensor& labels, const ClassSet& classes);

}  // namespace lethe
