// From maps to rows: the pixels of a feature map as feature vectors, and what class each has
// (specification 5.8).
#pragma once

#include <ATen/core/Tensor.h>

#include "lethe/core/class_set.h"
#include "lethe/features/class_groups.h"

namespace lethe {

// Labels [B, H, W] at the positions of a map of h x w: row floor(i H / h), column floor(j W / w).
at::Tensor downsample_labels(const at::Tensor& labels, int64_t height, int64_t width);

// [B, D, h, w] -> [B h w, D], image by image, row by row.
at::Tensor pixel_rows(const at::Tensor& map);

// Ground truth with background replaced by the old model's answer: labels [B, H, W] of the task,
// old logits [B, K_old, H, W]. threshold: an answer whose probability is below it stays background.
at::Tensor pseudo_labels(const at::Tensor& labels, const at::Tensor& old_logits,
                         double threshold = 0);

// The same at the positions of a map of h x w, of which alone the old model's answer is formed. Old
// logits undefined: the labels as they are.
at::Tensor pseudo_labels_at(const at::Tensor& labels, const at::Tensor& old_logits, int64_t height,
                            int64_t width, double threshold = 0);

enum class GroupScope { kBatch, kImage };

// The pixels of a feature map [B, D, h, w] grouped by their class; void ones are left out.
ClassGroups group_pixels(const at::Tensor& map, const at::Tensor& labels, GroupScope scope);

// Labels of classes in the set become background.
at::Tensor without_classes(const at::Tensor& labels, const ClassSet& classes);

}  // namespace lethe
