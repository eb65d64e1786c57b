#include "lethe/metrics/auc.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "lethe/core/random.h"

namespace lethe {

namespace {

// How often a member wins against another: 1, 1/2 or 0. double [members, others]
at::Tensor wins(const at::Tensor& members, const at::Tensor& others) {
  const auto left = members.to(at::kDouble).unsqueeze(1);
  const auto right = others.to(at::kDouble).unsqueeze(0);
  return (left > right).to(at::kDouble) + 0.5 * (left == right).to(at::kDouble);
}

// How often each of n rows was drawn: double [draws, n].
at::Tensor times_drawn(int64_t n, int64_t draws, uint64_t seed, uint32_t which) {
  auto times = at::zeros({draws, n}, at::kDouble);
  for (int64_t draw = 0; draw < draws; ++draw) {
    Random random(seed, Purpose::kBootstrap, static_cast<uint32_t>(draw), which);
    auto* own = times[draw].data_ptr<double>();
    for (int64_t i = 0; i < n; ++i) ++own[random.below(n)];
  }
  return times;
}

}  // namespace

double area_under_curve(const at::Tensor& members, const at::Tensor& others) {
  if (members.size(0) == 0 || others.size(0) == 0) return std::numeric_limits<double>::quiet_NaN();
  return wins(members, others).mean().item<double>();
}

double true_positive_rate(const at::Tensor& members, const at::Tensor& others, double false_rate) {
  if (members.size(0) == 0 || others.size(0) == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto sorted = std::get<0>(others.to(at::kDouble).sort(0, /*descending=*/true));
  const auto allowed =
      static_cast<int64_t>(std::floor(false_rate * static_cast<double>(sorted.size(0))));
  const auto threshold = sorted[std::min(allowed, sorted.size(0) - 1)];
  return (members.to(at::kDouble) > threshold).to(at::kDouble).mean().item<double>();
}

Draws area_draws(const at::Tensor& members, const at::Tensor& others, int64_t draws,
                 uint64_t seed) {
  const auto table = wins(members, others);
  const auto left = times_drawn(table.size(0), draws, seed, 1);
  const auto right = times_drawn(table.size(1), draws, seed, 2);
  const auto sums = (left.matmul(table) * right).sum(1);
  return {.value = table.mean().item<double>(),
          .values = sums / static_cast<double>(table.numel())};
}

}  // namespace lethe
