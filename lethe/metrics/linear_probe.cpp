#include "lethe/metrics/linear_probe.h"

#include <ATen/ATen.h>

namespace lethe {

namespace {

constexpr double kRidge = 1e-2;  // relative to the mean variance

bool has_both_sides(const at::Tensor& positive) {
  const auto count = positive.sum().item<int64_t>();
  return count > 0 && count < positive.size(0);
}

}  // namespace

LinearProbe::Moments LinearProbe::moments_of(const at::Tensor& rows) {
  return {.count = static_cast<double>(rows.size(0)),
          .sum = rows.sum(0),
          .outer = rows.t().matmul(rows)};
}

LinearProbe::LinearProbe(const at::Tensor& features)
    : features_(features.to(at::kDouble)), all_(moments_of(features_)) {}

at::Tensor LinearProbe::found(const at::Tensor& fit_positive, const at::Tensor& features) const {
  const auto own = moments_of(features_.index_select(0, fit_positive.nonzero().squeeze(1)));
  const double rest = all_.count - own.count;
  const auto own_mean = own.sum / own.count;
  const auto rest_mean = (all_.sum - own.sum) / rest;
  const auto centre = (own_mean + rest_mean) / 2;
  // Each group has total weight 1, together 2.
  auto spread =
      own.outer / own.count + (all_.outer - own.outer) / rest - 2 * at::outer(centre, centre);
  spread.diagonal().add_(kRidge * spread.diagonal().mean() + 1e-12);
  const auto direction = at::linalg_solve(spread, own_mean - rest_mean);
  return (features.to(at::kDouble) - centre).matmul(direction) > 0;
}

double LinearProbe::accuracy(const at::Tensor& fit_positive, const at::Tensor& features,
                             const at::Tensor& positive) const {
  if (!has_both_sides(fit_positive) || !has_both_sides(positive)) return 0.5;
  const auto given = found(fit_positive, features);
  const auto rate = [](const at::Tensor& side, const at::Tensor& hit) {
    return (hit & side).sum().item<double>() / side.sum().item<double>();
  };
  return (rate(positive, given) + rate(positive.logical_not(), given.logical_not())) / 2;
}

}  // namespace lethe
