#include "lethe/audit/closeness.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lethe/audit/membership.h"

namespace lethe {
namespace {

TEST(JensenShannonTest, HasItsKnownValues) {
  const auto p = at::tensor({1.0, 0.0}).reshape({1, 2});
  const auto q = at::tensor({0.0, 1.0}).reshape({1, 2});
  const auto even = at::tensor({0.5, 0.5}).reshape({1, 2});

  EXPECT_NEAR(jensen_shannon(p, p), 0, 1e-12);
  EXPECT_NEAR(jensen_shannon(p, q), 1, 1e-12);
  // (ln(1 / 0.75) + 0.5 ln(0.5 / 0.75) + 0.5 ln(0.5 / 0.25)) / 2, in bits
  EXPECT_NEAR(jensen_shannon(p, even), 0.311278, 1e-6);
}

TEST(LinearCkaTest, IgnoresRotationScaleAndShift) {
  at::manual_seed(0);
  const auto x = at::randn({200, 3}, at::kDouble);
  const auto turned = at::stack({x.select(1, 2), -x.select(1, 0), x.select(1, 1)}, 1) * 7 + 4;

  EXPECT_NEAR(linear_cka(x, turned), 1, 1e-9);
  EXPECT_LT(linear_cka(x, at::randn({200, 3}, at::kDouble)), 0.2);
}

TEST(MemberScoresTest, ACertainAnswerScoresHighest) {
  const auto members = at::tensor({1.0, 0.0, 0.0}).reshape({1, 3});
  const auto others = at::full({1, 3}, 1.0 / 3);

  const auto scores = member_scores(members, others);

  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].members.item<double>(), 1);
  EXPECT_NEAR(scores[1].members.item<double>(), 0, 1e-9);
  EXPECT_NEAR(scores[1].others.item<double>(), -std::log(3.0), 1e-9);
  EXPECT_NEAR(scores[2].members.item<double>(), 0, 1e-9);
  // (1 - 1/3) ln(1/3) + 2/3 ln(2/3)
  EXPECT_NEAR(scores[2].others.item<double>(),
              2.0 / 3 * std::log(1.0 / 3) + 2.0 / 3 * std::log(2.0 / 3), 1e-9);
}

TEST(CalibratedScoreTest, WhatOtherModelsAreAlsoSureOfCountsLess) {
  const auto own = at::tensor({0.9, 0.1, 0.6, 0.4}).reshape({2, 2});
  const auto other = at::tensor({0.9, 0.1, 0.5, 0.5}).reshape({2, 2});

  const auto score = calibrated(own, {other});

  EXPECT_NEAR(score[0].item<double>(), 0, 1e-12);
  EXPECT_NEAR(score[1].item<double>(), std::log(1.2), 1e-12);
}

}  // namespace
}  // namespace lethe
