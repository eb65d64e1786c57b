// What methods ask of a step of segmentation.
#pragma once

#include "lethe/method/step.h"

namespace lethe {

// Number of channels of the old model.
int64_t old_channels(const Step& step);

// Whether each channel of the old model is kept, neither forgotten nor erased: bool [K_old] on the
// device.
at::Tensor kept_channels(const Step& step, const at::Device& device);

// The channels that are not erased, of logits [B, K, H, W] (or of flags [K], with dim 0) of the
// student or of the old model.
at::Tensor remaining_channels(const Step& step, const at::Tensor& all, int64_t dim = 1);

// The labels at the positions of the student's feature map, int64 [B, h, w]. Where the task has
// background, the label is the old model's prediction if its probability is at least threshold
// (specification 5.8). Needs the passes of the images through both networks.
at::Tensor pixel_labels(Step& step, double threshold = 0);

}  // namespace lethe
