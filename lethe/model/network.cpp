#include "lethe/model/network.h"

#include "lethe/model/conv_norm.h"

namespace lethe {

int64_t Network::num_classes() const {
  return heads_.empty() ? 0 : heads_.back().first + heads_.back().count;
}

torch::Device Network::device() const {
  const auto all = parameters();
  return all.empty() ? torch::Device(torch::kCPU) : all.front().device();
}

std::shared_ptr<Network> Network::frozen_copy() const {
  const auto copy = skeleton();
  const auto own = named_state(*this);
  auto others = named_state(*copy);
  TORCH_INTERNAL_ASSERT(own.size() == others.size(), "skeleton() has different entries");
  for (auto& [name, tensor] : others) {
    // set_data() instead of copy_(), to take over device, type and strides.
    tensor.set_data(own.at(name).detach().clone());
    if (tensor.requires_grad()) tensor.set_requires_grad(false);
  }
  copy->eval();
  copy->fold_batch_norm();
  return copy;
}

void Network::set_batch_norm(const NormMode& mode) {
  for (const auto& norm : batch_norms(*this)) {
    norm->set_frozen(mode.frozen);
    norm->set_momentum(mode.momentum);
  }
}

StateDict named_state(const torch::nn::Module& module) {
  StateDict state;
  for (const auto& parameter : module.named_parameters())
    state[parameter.key()] = parameter.value();
  for (const auto& buffer : module.named_buffers()) state[buffer.key()] = buffer.value();
  return state;
}

}  // namespace lethe
