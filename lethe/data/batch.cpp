#include "lethe/data/batch.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lethe {

namespace {

// Applies a function to every defined tensor of a batch.
template <typename Function>
Batch mapped(const Batch& batch, const Function& function) {
  const auto if_there = [&](const at::Tensor& tensor) {
    return tensor.defined() ? function(tensor) : at::Tensor();
  };
  return {.images = if_there(batch.images),
          .labels = if_there(batch.labels),
          .saliency = if_there(batch.saliency)};
}

}  // namespace

Batch Batch::to(const at::Device& device) const {
  return mapped(*this, [&](const at::Tensor& tensor) { return tensor.to(device); });
}

std::vector<Batch> Batch::split(int64_t parts) const {
  const int64_t count = std::min(parts, size());
  if (count <= 1) return {*this};
  std::vector<Batch> all;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = size() * i / count;
    const int64_t end = size() * (i + 1) / count;
    all.push_back(
        mapped(*this, [&](const at::Tensor& tensor) { return tensor.slice(0, first, end); }));
  }
  return all;
}

}  // namespace lethe
