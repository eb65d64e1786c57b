#include "lethe/audit/outcome.h"

#include <gtest/gtest.h>

#include <limits>

#include "lethe/core/error.h"

namespace lethe {
namespace {

Excess excess(double value, double low, double high) {
  return {.value = value, .low = low, .high = high};
}

TEST(OutcomeTest, TheWholeIntervalDecides) {
  EXPECT_EQ(decide(excess(0.0, -0.02, 0.019), 0.02), Outcome::kPassed);
  EXPECT_EQ(decide(excess(0.05, 0.021, 0.08), 0.02), Outcome::kFailed);
  EXPECT_EQ(decide(excess(0.01, -0.01, 0.03), 0.02), Outcome::kInconclusive);
  EXPECT_EQ(decide(excess(0.03, 0.01, 0.05), 0.02), Outcome::kInconclusive);
  EXPECT_EQ(decide(excess(0, std::numeric_limits<double>::quiet_NaN(), 0), 0.02),
            Outcome::kNotMeasured);
}

TEST(OutcomeTest, EveryNameLeadsBackToItsOutcome) {
  for (const auto outcome : {Outcome::kPassed, Outcome::kFailed, Outcome::kInconclusive,
                             Outcome::kNotMeasured, Outcome::kNotAvailable, Outcome::kNotApplicable,
                             Outcome::kNeverLearned, Outcome::kInformation})
    EXPECT_EQ(outcome_of(name_of(outcome)), outcome);
  EXPECT_THROW(outcome_of("fine"), DataError);
}

TEST(OutcomeTest, TheNumberOfImagesThatWouldDecideFollowsFromTheError) {
  // The excess is 0.01 below the margin; the error of 0.02 from 100 images must fall to
  // 0.01/1.6449.
  const Excess one{.value = 0.01, .image_error = 0.02, .images = 100, .oracles = 1};

  EXPECT_EQ(what_would_decide(one, 0.02, "images"), "about 1083 images would decide");
}

TEST(OutcomeTest, IfTheOraclesDifferMoreOraclesAreNeeded) {
  const Excess spread{
      .value = 0.01, .image_error = 0.001, .oracle_error = 0.02, .images = 100, .oracles = 3};

  EXPECT_EQ(what_would_decide(spread, 0.02, "images"), "about 34 oracles would decide");
}

TEST(OutcomeTest, AtTheMarginNoNumberDecides) {
  const Excess exact{.value = 0.02, .image_error = 0.01, .images = 100, .oracles = 1};

  EXPECT_NE(what_would_decide(exact, 0.02, "images").find("too close"), std::string::npos);
}

}  // namespace
}  // namespace lethe
