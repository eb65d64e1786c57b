// How close two models are on the same rows: their outputs and their features.
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

// Jensen-Shannon divergence in bits, mean over the rows: 0 = the same, 1 = the most. Both [N, K].
double jensen_shannon(const at::Tensor& p, const at::Tensor& q);

// Linear centred kernel alignment of features [N, D] and [N, E]: 1 = the same up to rotation and
// scale, 0 = unrelated.
double linear_cka(const at::Tensor& x, const at::Tensor& y);

}  // namespace lethe
