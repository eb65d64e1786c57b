#include "lethe/method/contrastive/projections.h"

#include <fmt/format.h>

#include "lethe/core/error.h"
#include "lethe/model/init.h"
#include "lethe/model/torch.h"

namespace lethe {

void Projections::make(int64_t dim, const ProjectionOptions& options, uint64_t seed,
                       const at::TensorOptions& tensors) {
  made_ = true;
  kernel_ = options.kernel;
  weights_.clear();
  for (size_t i = 1; i <= options.depth; ++i, dim /= 2) {
    if (dim < 2) throw_error<ConfigError>("features of {} channels cannot be halved", dim);
    std::vector<int64_t> shape = {dim / 2, dim};
    if (kernel_ > 1) shape.insert(shape.end(), {kernel_, kernel_});
    weights_.push_back(at::empty(shape, tensors));
    fill_xavier_normal(weights_.back(), seed, fmt::format("contrastive.projection{}", i));
    weights_.back().set_requires_grad(options.trainable);
  }
}

at::Tensor FeatureSpace::of(const at::Tensor& features) const {
  return features.dim() == 4 ? projections.of_map(features, index)
                             : projections.of_rows(features, index);
}

at::Tensor Projections::of_rows(const at::Tensor& rows, size_t space) const {
  if (space > 0 && kernel_ > 1)
    throw Error("projections with kernel 3 need a feature map, not rows");
  auto projected = rows;
  for (size_t i = 0; i < space; ++i) projected = at::linear(projected, weights_.at(i));
  return projected;
}

at::Tensor Projections::of_map(const at::Tensor& map, size_t space) const {
  auto projected = map;
  for (size_t i = 0; i < space; ++i) {
    const auto& weight = weights_.at(i);
    const auto kernel =
        kernel_ > 1 ? weight : weight.reshape({weight.size(0), weight.size(1), 1, 1});
    projected = at::conv2d(projected, kernel, {}, 1, kernel_ / 2);
  }
  return projected;
}

std::vector<NamedTensor> Projections::parameters() const {
  std::vector<NamedTensor> all;
  for (size_t i = 0; i < weights_.size(); ++i) {
    if (weights_[i].requires_grad())
      all.push_back({fmt::format("projection{}", i + 1), weights_[i]});
  }
  return all;
}

StateDict Projections::state() const {
  StateDict all;
  for (size_t i = 0; i < weights_.size(); ++i)
    all[fmt::format("projection{}", i + 1)] = weights_[i].detach();
  return all;
}

void Projections::load(const StateDict& state) {
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const auto found = state.find(fmt::format("projection{}", i + 1));
    if (found != state.end()) weights_[i].copy_(found->second);
  }
}

}  // namespace lethe
