#include "lethe/audit/closeness.h"

#include <ATen/ATen.h>

#include <cmath>

namespace lethe {

double jensen_shannon(const at::Tensor& p, const at::Tensor& q) {
  const auto a = p.to(at::kDouble), b = q.to(at::kDouble);
  const auto middle = (a + b) / 2;
  const auto divergence = [&](const at::Tensor& from) {
    return (from * (from.clamp_min(1e-300) / middle.clamp_min(1e-300)).log()).sum(1);
  };
  return ((divergence(a) + divergence(b)) / 2).mean().item<double>() / std::log(2.0);
}

double linear_cka(const at::Tensor& x, const at::Tensor& y) {
  const auto centred = [](const at::Tensor& rows) {
    const auto values = rows.to(at::kDouble);
    return values - values.mean(0, /*keepdim=*/true);
  };
  const auto a = centred(x), b = centred(y);
  const auto norm = [](const at::Tensor& left, const at::Tensor& right) {
    return left.t().matmul(right).norm().item<double>();
  };
  const double own = norm(a, a) * norm(b, b);
  return own == 0 ? 0 : norm(a, b) * norm(a, b) / own;
}

}  // namespace lethe
