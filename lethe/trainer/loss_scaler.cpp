#include "lethe/trainer/loss_scaler.h"

#include <torch/types.h>

#include <algorithm>

#include "lethe/core/error.h"

namespace lethe {

namespace {

constexpr int64_t kGrowthSteps = 2000;
constexpr const char* kEntry = "loss_scale";  // float64 [2]: factor, steps since it changed

}  // namespace

bool LossScaler::unscale(const std::vector<SgdParameter>& parameters) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> largest;
  for (const auto& parameter : parameters) {
    auto& gradient = parameter.tensor.mutable_grad();
    if (!gradient.defined()) continue;
    gradient.mul_(1.0 / scale_);
    largest.push_back(gradient.abs().max());  // propagates NaN
  }
  // One device synchronisation for all gradients.
  const bool finite = largest.empty() || at::stack(largest).isfinite().all().item<bool>();
  good_steps_ = finite ? good_steps_ + 1 : 0;
  if (!finite) scale_ = std::max(1.0, scale_ / 2);
  if (good_steps_ == kGrowthSteps) {
    scale_ *= 2;
    good_steps_ = 0;
  }
  return finite;
}

void LossScaler::put(StateDict& state) const {
  state[kEntry] = at::tensor({scale_, static_cast<double>(good_steps_)}, at::kDouble);
}

void LossScaler::take(StateDict& state) {
  const auto found = state.find(kEntry);
  if (found == state.end() || found->second.numel() != 2)
    throw_error<DataError>(
        "optimiser state has no '{}'; the checkpoint is not of a mixed-precision run", kEntry);
  scale_ = found->second[0].item<double>();
  good_steps_ = static_cast<int64_t>(found->second[1].item<double>());
  state.erase(found);
}

}  // namespace lethe
