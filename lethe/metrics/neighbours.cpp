#include "lethe/metrics/neighbours.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace lethe {

namespace {

constexpr int64_t kChunk = 512;  // rows at a time: bounds the memory of the similarities

at::Tensor unit(const at::Tensor& rows) {
  const auto values = rows.to(at::kFloat);
  return values / values.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);
}

}  // namespace

Neighbours::Neighbours(const at::Tensor& fit, const at::Tensor& rows, int64_t count) {
  const auto known = unit(fit).t();
  const auto asked = unit(rows);
  std::vector<at::Tensor> parts;
  for (int64_t first = 0; first < asked.size(0); first += kChunk) {
    const auto similarity = asked.slice(0, first, first + kChunk).matmul(known);
    parts.push_back(std::get<1>(similarity.topk(std::min(count, fit.size(0)), 1)));
  }
  nearest_ = parts.empty() ? at::empty({0, 1}, at::kLong) : at::cat(parts);
}

at::Tensor Neighbours::found(const at::Tensor& fit_positive) const {
  const auto share = fit_positive.to(at::kDouble).mean();
  const auto near = fit_positive.index_select(0, nearest_.flatten()).reshape(nearest_.sizes());
  return near.to(at::kDouble).mean(1) > share;
}

}  // namespace lethe
