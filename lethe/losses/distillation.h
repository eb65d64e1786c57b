// Distillation on class scores: the new model stays close to the old one (specification 5.5).
// Both functions take one head; masks are float [K]: 1 = counts, 0 = multiplied away. A masked
// class stays in the softmax with score 0 on both sides, so its own gradient is exactly 0.
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

// KL( softmax(M o teacher / T) || softmax(M o student / T) ), mean over the samples.
// student [N, K] with gradient, teacher [N, K] without; returns a scalar.
at::Tensor masked_distillation_loss(const at::Tensor& student, const at::Tensor& teacher,
                                    const at::Tensor& mask, double temperature);

// The same with the constant 1/K as teacher: pulls the scores that the mask lets through to the
// uniform value.
at::Tensor uniform_distillation_loss(const at::Tensor& student, const at::Tensor& mask,
                                     double temperature);

}  // namespace lethe
