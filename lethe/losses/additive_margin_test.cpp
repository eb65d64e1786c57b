#include "lethe/losses/additive_margin.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

namespace lethe {
namespace {

at::Tensor rows(const std::vector<double>& values, int64_t columns) {
  return at::tensor(values, at::kDouble).reshape({-1, columns});
}

TEST(AdditiveMarginTest, TV1ValueAndGradientAreThePrintedOnes) {
  auto cosines = rows({0.8, 0.1, -0.2, 0.3, 0.5, 0.0}, 3).requires_grad_();
  const auto labels = at::tensor(std::vector<int64_t>{0, 1});

  const auto loss = additive_margin_loss(cosines, labels);
  loss.backward();

  EXPECT_NEAR(loss.item<double>(), 2.255599, 1e-5 * 2.255599);
  const auto first = additive_margin_loss(cosines.detach().slice(0, 0, 1), labels.slice(0, 0, 1));
  const auto second = additive_margin_loss(cosines.detach().slice(0, 1, 2), labels.slice(0, 1, 2));
  EXPECT_NEAR(first.item<double>(), 2.753947e-5, 1e-10);
  EXPECT_NEAR(second.item<double>(), 4.511170, 1e-5 * 4.5);
  const auto expected =
      rows({-4.130863e-4, 4.130354e-4, 5.097e-8, 14.833385, -14.835216, 0.001831}, 3);
  // Absolute: the smallest entries are printed with four digits.
  EXPECT_TRUE(at::allclose(cosines.grad(), expected, 1e-5, 1e-6)) << cosines.grad();
}

TEST(AdditiveMarginTest, GradientEqualsFiniteDifferences) {
  auto cosines = rows({0.2, 0.15, -0.1, 0.05, 0.1, 0.12}, 3).requires_grad_();
  const auto labels = at::tensor(std::vector<int64_t>{2, 1});
  additive_margin_loss(cosines, labels).backward();

  const double h = 1e-6;
  for (int64_t i = 0; i < cosines.numel(); ++i) {
    auto up = cosines.detach().clone();
    auto down = up.clone();
    up.view(-1)[i] += h;
    down.view(-1)[i] -= h;
    const double slope =
        (additive_margin_loss(up, labels) - additive_margin_loss(down, labels)).item<double>() /
        (2 * h);
    EXPECT_NEAR(cosines.grad().reshape(-1)[i].item<double>(), slope, 1e-6 * (1 + std::abs(slope)));
  }
}

TEST(AdditiveMarginTest, NoMarginIsCrossEntropyOfScaledCosines) {
  const auto cosines = rows({0.3, -0.2, 0.1, 0.9}, 2);
  const auto labels = at::tensor(std::vector<int64_t>{1, 0});

  const auto loss = additive_margin_loss(cosines, labels, {.scale = 7, .margin = 0});

  EXPECT_DOUBLE_EQ(loss.item<double>(), at::cross_entropy_loss(7 * cosines, labels).item<double>());
}

TEST(AdditiveMarginTest, FallsWithTheOwnScoreRisesWithOthersAndWithTheMargin) {
  const auto labels = at::tensor(std::vector<int64_t>{0});
  const auto loss = [&](double own, double other, double margin) {
    return additive_margin_loss(rows({own, other}, 2), labels, {.scale = 30, .margin = margin})
        .item<double>();
  };

  EXPECT_LT(loss(0.4, 0.2, 0.35), loss(0.3, 0.2, 0.35));
  EXPECT_GT(loss(0.3, 0.3, 0.35), loss(0.3, 0.2, 0.35));
  EXPECT_GT(loss(0.3, 0.2, 0.45), loss(0.3, 0.2, 0.35));
}

}  // namespace
}  // namespace lethe
