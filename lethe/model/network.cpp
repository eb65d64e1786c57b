#include "lethe/model/network.h"

#include <fmt/ranges.h>

#include "lethe/core/error.h"
#include "lethe/model/conv_norm.h"
#include "lethe/model/torch.h"

namespace lethe {

int64_t Network::num_classes() const {
  return heads_.empty() ? 0 : heads_.back().first + heads_.back().count;
}

at::Tensor Network::logits_of(const at::Tensor&) {
  throw Error("this network does not compute its scores from pooled features");
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
  TORCH_INTERNAL_ASSERT(copy->erased() == erased_, "skeleton() has other erased classes");
  copy->eval();
  copy->fold_batch_norm();
  return copy;
}

void Network::mask(const ClassSet& classes) {
  if (problem() == Problem::kMasks && classes.contains(0))
    throw Error("background cannot be erased");
  if (const auto unknown = classes - ClassSet::range(0, num_classes()); !unknown.empty())
    throw_error<Error>("the network has no class {}, so it cannot be erased",
                       fmt::join(unknown, ", "));
  erased_ = erased_ | classes;
  erased_columns_.reset();
}

void Network::erase(const ClassSet& classes) {
  const auto entries = class_entries();
  ClassSet with_rows;
  for (const auto& entry : entries) {
    if (entry.per_row) with_rows = with_rows | entry.classes;
  }
  mask(classes);
  TORCH_INTERNAL_ASSERT((classes - with_rows).empty(), "class_entries() is incomplete");
  const auto state = named_state(*this);
  for (const auto& entry : entries) erase_classes(state.at(entry.name), entry, erased_);
}

at::Tensor Network::without_erased(at::Tensor logits) {
  if (erased_.empty()) return logits;
  if (!erased_columns_.defined() || erased_columns_.size(0) != logits.size(1) ||
      erased_columns_.device() != logits.device())
    erased_columns_ = (erased_.mask(0, logits.size(1)) > 0).to(logits.device());
  std::vector<int64_t> shape(static_cast<size_t>(logits.dim()), 1);
  shape[1] = logits.size(1);
  return logits.masked_fill_(erased_columns_.reshape(shape), kErasedLogit);
}

void Network::set_batch_norm(const NormMode& mode) {
  for (const auto& norm : batch_norms(*this)) {
    norm->set_frozen(mode.frozen);
    norm->set_momentum(mode.momentum);
  }
}

void erase_classes(const at::Tensor& tensor, const ClassEntry& entry, const ClassSet& classes) {
  const at::NoGradGuard no_grad;
  if (!entry.per_row) {
    if ((entry.classes - classes).empty()) tensor.zero_();
    return;
  }
  int64_t row = 0;
  for (const ClassId id : entry.classes) {
    if (classes.contains(id)) tensor[row].zero_();
    ++row;
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
