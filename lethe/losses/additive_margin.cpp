#include "lethe/losses/additive_margin.h"

#include <ATen/ATen.h>

#include "lethe/core/tensor_check.h"

namespace lethe {

at::Tensor additive_margin_loss(const at::Tensor& cosines, const at::Tensor& labels,
                                const AdditiveMarginOptions& options) {
  require_shape("cosines", cosines, {kAnySize, kAnySize});
  require_shape("labels", labels, {cosines.size(0)});
  const auto margin = at::zeros_like(cosines).scatter_(1, labels.unsqueeze(1), options.margin);
  return at::cross_entropy_loss(options.scale * (cosines - margin), labels);
}

}  // namespace lethe
