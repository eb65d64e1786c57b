#include "lethe/metrics/linear_probe.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace lethe {
namespace {

double accuracy(const at::Tensor& fit, const at::Tensor& fit_positive, const at::Tensor& features,
                const at::Tensor& positive) {
  return LinearProbe(fit).accuracy(fit_positive, features, positive);
}

TEST(LinearProbeTest, FindsALinearlySeparableClassAndNothingInNoise) {
  at::manual_seed(3);
  const auto positive = (at::arange(2000) % 10) == 0;
  const auto noise = at::randn({2000, 5});
  const auto shifted = noise + 6 * positive.to(at::kFloat).unsqueeze(1) * at::ones({5}) / 2;
  const auto other = at::randn({2000, 5});
  const auto other_shifted = other + 6 * positive.to(at::kFloat).unsqueeze(1) * at::ones({5}) / 2;
  EXPECT_GT(accuracy(shifted, positive, other_shifted, positive), 0.97);
  EXPECT_NEAR(accuracy(noise, positive, other, positive), 0.5, 0.08);
  EXPECT_EQ(accuracy(noise, at::zeros_like(positive), other, positive), 0.5);
}

// The same classifier computed from its definition: weighted least squares on centred rows.
TEST(LinearProbeTest, EqualsTheRidgeClassifierOfBalancedRows) {
  at::manual_seed(4);
  const auto fit = at::randn({300, 6}, at::kDouble) + 5;
  const auto fit_positive = fit.select(1, 0) + 0.5 * at::randn({300}, at::kDouble) > 6;
  const auto features = at::randn({500, 6}, at::kDouble) + 5;
  const auto positive = features.select(1, 0) + 0.5 * at::randn({500}, at::kDouble) > 6;

  const auto yes = fit_positive.to(at::kDouble);
  const auto weight = yes / yes.sum() + (1 - yes) / (1 - yes).sum();
  const auto centre = (weight.unsqueeze(1) * fit).sum(0) / 2;
  const auto centred = fit - centre;
  const auto weighted = weight.unsqueeze(1) * centred;
  auto gram = centred.t().matmul(weighted);
  gram.diagonal().add_(0.01 * gram.diagonal().mean());
  const auto direction = at::linalg_solve(gram, weighted.t().matmul(2 * yes - 1));
  const auto hit = ((features - centre).matmul(direction) > 0) == positive;
  const double expected = (hit.index({positive}).to(at::kDouble).mean() +
                           hit.index({positive.logical_not()}).to(at::kDouble).mean())
                              .item<double>() /
                          2;

  EXPECT_NEAR(accuracy(fit, fit_positive, features, positive), expected, 1e-12);
}

}  // namespace
}  // namespace lethe
