// Distillation on class scores: the new model stays close to the old model (specification 5.5).
// Both functions work on one head. mask is float [K]: the scores are multiplied by it. A class with
// mask 0 therefore stays in the softmax with score 0 on both sides, and the gradient of its own
// score is exactly 0.
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

// KL( softmax(M o teacher / T) || softmax(M o student / T) ), mean over the samples.
// student [N, K] with gradient, teacher [N, K] without; returns a scalar.
at::Tensor masked_distillation_loss(const at::Tensor& student, const at::Tensor& teacher,
                                    const at::Tensor& mask, double temperature);

// The same with one constant score for every class as teacher: pulls the scores with mask 1 towards
// this score.
at::Tensor uniform_distillation_loss(const at::Tensor& student, const at::Tensor& mask,
                                     double score, double temperature);

}  // namespace lethe
