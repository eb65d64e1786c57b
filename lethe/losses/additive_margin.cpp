#include "lethe/losses/additive_margin.h"

#include <ATen/ATen.h>
#include <ATen/core/Reduction.h>

#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

at::Tensor scores(const at::Tensor& cosines, const at::Tensor& labels,
                  const AdditiveMarginOptions& options) {
  require_shape("cosines", cosines, {kAnySize, kAnySize});
  require_shape("labels", labels, {cosines.size(0)});
  const auto margin = at::zeros_like(cosines).scatter_(1, labels.unsqueeze(1), options.margin);
  return options.scale * (cosines - margin);
}

}  // namespace

at::Tensor additive_margin_loss(const at::Tensor& cosines, const at::Tensor& labels,
                                const AdditiveMarginOptions& options) {
  return at::cross_entropy_loss(scores(cosines, labels, options), labels);
}

at::Tensor additive_margin_losses(const at::Tensor& cosines, const at::Tensor& labels,
                                  const AdditiveMarginOptions& options) {
  return at::cross_entropy_loss(scores(cosines, labels, options), labels, {}, at::Reduction::None);
}

}  // namespace lethe
