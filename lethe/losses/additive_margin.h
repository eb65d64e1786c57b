// The classification loss (specification 5.1).
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

struct AdditiveMarginOptions {
  double scale = 30.0;   // a > 0
  double margin = 0.35;  // m >= 0; 0 gives the cross-entropy of a * cosine
};

// L_AM = -ln( e^{a(s_y - m)} / (e^{a(s_y - m)} + sum_{j != y} e^{a s_j}) ), mean over the samples.
// cosines [N, K] of one head, labels int64 [N] within that head; returns a scalar.
at::Tensor additive_margin_loss(const at::Tensor& cosines, const at::Tensor& labels,
                                const AdditiveMarginOptions& options = {});

// One value per sample: [N].
at::Tensor additive_margin_losses(const at::Tensor& cosines, const at::Tensor& labels,
                                  const AdditiveMarginOptions& options = {});

}  // namespace lethe
