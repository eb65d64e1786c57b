#include "lethe/model/cosine_head.h"

#include <ATen/ATen.h>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

at::Tensor unit_rows(const at::Tensor& rows) {
  // Much smaller than any real length; only prevents NaN for a zero vector.
  constexpr double kEpsilon = 1e-12;
  return rows / rows.norm(2, /*dim=*/1, /*keepdim=*/true).clamp_min(kEpsilon);
}

CosineHeads::CosineHeads(int64_t dim) : dim_(dim) {}

CosineHeads::Added CosineHeads::add(int64_t count, const at::TensorOptions& options) {
  if (count < 1) throw_error<Error>("a head needs at least one class, got {}", count);
  const auto name = std::to_string(weights_.size());
  const auto head = register_module(name, std::make_shared<torch::nn::Module>());
  weights_.push_back(head->register_parameter("weight", at::zeros({count, dim_}, options)));
  return {name + ".weight", weights_.back()};
}

at::Tensor CosineHeads::forward(const at::Tensor& features) const {
  require_shape("features", features, {kAnySize, dim_});
  if (weights_.empty()) throw Error("the classifier has no classes yet; call add_classes first");
  // One matrix product for all heads is faster, because there are many small heads.
  return at::matmul(unit_rows(features), unit_rows(at::cat(weights_)).t());
}

}  // namespace lethe
