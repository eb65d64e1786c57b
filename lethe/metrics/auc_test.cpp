#include "lethe/metrics/auc.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace lethe {
namespace {

TEST(AreaUnderCurveTest, CountsPairsAndHalvesTies) {
  const auto members = at::tensor({0.9, 0.5, 0.5});
  const auto others = at::tensor({0.5, 0.1});

  // Wins: 0.9 beats both; each 0.5 ties once and wins once: (2 + 1.5 + 1.5) / 6.
  EXPECT_NEAR(area_under_curve(members, others), 5.0 / 6, 1e-12);
  EXPECT_NEAR(area_under_curve(others, members), 1.0 / 6, 1e-12);
  EXPECT_TRUE(std::isnan(area_under_curve(members, at::empty({0}))));
}

TEST(TruePositiveRateTest, UsesTheThresholdThatTheFalseRateAllows) {
  const auto others = at::arange(100).to(at::kDouble);
  const auto members = at::tensor({98.5, 97.5, 99.5, 10.0});

  EXPECT_NEAR(true_positive_rate(members, others, 0.01), 0.5, 1e-12);   // above 98
  EXPECT_NEAR(true_positive_rate(members, others, 0.02), 0.75, 1e-12);  // above 97
}

TEST(AreaDrawsTest, TheSpreadIsThatOfTheClosedForm) {
  // Scores without ties that tell nothing: the variance of the area is (m + n + 1) / (12 m n).
  at::manual_seed(0);
  const auto members = at::rand({60});
  const auto others = at::rand({80});

  const auto drawn = area_draws(members, others, 2000, 5);

  EXPECT_NEAR(drawn.value, area_under_curve(members, others), 1e-12);
  EXPECT_NEAR(drawn.values.mean().item<double>(), drawn.value, 0.005);
  EXPECT_NEAR(drawn.values.std().item<double>(), std::sqrt(141.0 / (12 * 60 * 80)), 0.006);
}

}  // namespace
}  // namespace lethe
