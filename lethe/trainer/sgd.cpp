#include "lethe/trainer/sgd.h"

#include <torch/types.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

// There the largest root of the recursion of (value, momentum) leaves the unit circle.
double stable_curvature(const SgdOptions& options, double lr) {
  const double limit = 2 + 2 * options.momentum;
  return (options.nesterov ? limit / (1 + 2 * options.momentum) : limit) / lr;
}

Sgd::Sgd(std::vector<SgdParameter> parameters, const SgdOptions& options)
    : options_(options), parameters_(std::move(parameters)), momentum_(parameters_.size()) {}

void Sgd::zero_grad() {
  for (auto& parameter : parameters_) {
    if (parameter.tensor.grad().defined()) parameter.tensor.mutable_grad().reset();
  }
}

double Sgd::clip_grad_norm(double limit) {
  std::vector<at::Tensor> norms;
  for (const auto& parameter : parameters_) {
    if (parameter.tensor.grad().defined()) norms.push_back(parameter.tensor.grad().norm());
  }
  if (norms.empty()) return 0;
  const auto norm = at::stack(norms).norm().item<double>();
  if (norm > limit) {
    for (auto& parameter : parameters_) {
      if (parameter.tensor.grad().defined())
        parameter.tensor.mutable_grad().mul_(limit / (norm + 1e-6));
    }
  }
  return norm;
}

void Sgd::step(double lr) {
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    auto& parameter = parameters_[i].tensor;
    auto gradient = parameter.grad();
    if (!gradient.defined()) continue;
    if (options_.weight_decay != 0) gradient = gradient.add(parameter, options_.weight_decay);
    if (options_.momentum != 0) {
      auto& buffer = momentum_[i];
      if (buffer.defined()) {
        buffer.mul_(options_.momentum).add_(gradient);
      } else {
        buffer = gradient.clone();
      }
      gradient = options_.nesterov ? gradient.add(buffer, options_.momentum) : buffer;
    }
    parameter.add_(gradient, -lr * parameters_[i].lr_factor);
  }
}

StateDict Sgd::state() const {
  StateDict state;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (momentum_[i].defined()) state["momentum." + parameters_[i].name] = momentum_[i];
  }
  return state;
}

void Sgd::load(const StateDict& state) {
  for (auto& buffer : momentum_) buffer.reset();
  for (const auto& entry : state) {
    const auto& name = entry.first;
    const auto& tensor = entry.second;
    const auto found =
        std::find_if(parameters_.begin(), parameters_.end(),
                     [&](const SgdParameter& p) { return "momentum." + p.name == name; });
    if (found == parameters_.end())
      throw_error<DataError>("optimiser state '{}' belongs to no parameter", name);
    if (found->tensor.sizes() != tensor.sizes()) {
      throw_error<DataError>("optimiser state '{}': expected {}, got {}", name,
                             shape_text(found->tensor.sizes()), shape_text(tensor.sizes()));
    }
    momentum_[static_cast<size_t>(found - parameters_.begin())] = tensor.to(
        found->tensor.options().requires_grad(false), /*non_blocking=*/false, /*copy=*/true);
  }
}

}  // namespace lethe
