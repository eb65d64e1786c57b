#include "lethe/metrics/interval.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lethe {
namespace {

TEST(ClopperPearsonTest, NoHitsAndAllHitsHaveClosedForms) {
  const auto none = clopper_pearson(0, 20);
  const auto all = clopper_pearson(20, 20);

  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 1 - std::pow(0.025, 1.0 / 20), 1e-12);
  EXPECT_NEAR(all.low, std::pow(0.025, 1.0 / 20), 1e-12);
  EXPECT_EQ(all.high, 1);
}

TEST(ClopperPearsonTest, AgreesWithAPublishedValue) {
  // R: binom.test(7, 20)$conf.int
  const auto interval = clopper_pearson(7, 20);

  EXPECT_NEAR(interval.low, 0.1539092, 1e-7);
  EXPECT_NEAR(interval.high, 0.5921885, 1e-7);
}

TEST(ClopperPearsonTest, WithoutTrialsNothingIsKnown) {
  EXPECT_EQ(clopper_pearson(0, 0).low, 0);
  EXPECT_EQ(clopper_pearson(0, 0).high, 1);
}

}  // namespace
}  // namespace lethe
