#include "lethe/method/contrastive/projections.h"

#include <fmt/format.h>

#include <utility>

#include "lethe/core/error.h"
#include "lethe/model/init.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

constexpr const char* kProjection = "projection";

// The name of a weight in the state.
std::string name_of(size_t index) { return fmt::format("{}{}", kProjection, index + 1); }

}  // namespace

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
  load(std::exchange(loaded_, {}));
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
    if (weights_[i].requires_grad()) all.push_back({name_of(i), weights_[i]});
  }
  return all;
}

StateDict Projections::state() const {
  if (!made_) return loaded_;
  StateDict all;
  for (size_t i = 0; i < weights_.size(); ++i) all[name_of(i)] = weights_[i].detach();
  return all;
}

void Projections::load(const StateDict& state) {
  if (!made_) {
    loaded_.clear();
    for (const auto& [name, tensor] : state) {
      if (name.starts_with(kProjection)) loaded_[name] = tensor;
    }
    return;
  }
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < weights_.size(); ++i) {
    if (const auto found = state.find(name_of(i)); found != state.end())
      weights_[i].copy_(found->second);
  }
}

}  // namespace lethe
