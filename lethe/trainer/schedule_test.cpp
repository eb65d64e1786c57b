#include "lethe/trainer/schedule.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"

namespace lethe {
namespace {

TrainOptions options(const std::string& schedule, double warmup = 0) {
  TrainOptions result;
  result.schedule = schedule;
  result.warmup_epochs = warmup;
  return result;
}

// Specification 4: lr0 = 1e-2, I = 300.
TEST(ScheduleTest, PolyHasTheValuesOfTheSpecification) {
  const ScheduleLength length{.iterations = 300, .per_epoch = 10};
  const auto rate = [&](int64_t i) { return learning_rate(options("poly"), 1e-2, i, length); };

  EXPECT_DOUBLE_EQ(rate(0), 1e-2);
  EXPECT_NEAR(rate(1), 9.969995e-3, 1e-9);
  EXPECT_NEAR(rate(150), 5.358867e-3, 1e-9);
  EXPECT_NEAR(rate(299), 5.896453e-5, 1e-11);
}

// Specification 4: 200 epochs at 0.1, x0.2 after epochs 40, 60, 120, 160.
TEST(ScheduleTest, StepDecaysAfterItsMilestones) {
  const ScheduleLength length{.iterations = int64_t{200} * 78, .per_epoch = 78};
  const auto rate = [&](int64_t epoch) {
    return learning_rate(options("step"), 0.1, (epoch - 1) * 78, length);
  };

  EXPECT_NEAR(rate(40), 0.1, 1e-12);
  EXPECT_NEAR(rate(41), 0.02, 1e-12);
  EXPECT_NEAR(rate(61), 0.004, 1e-12);
  EXPECT_NEAR(rate(121), 8e-4, 1e-12);
  EXPECT_NEAR(rate(200), 1.6e-4, 1e-12);
}

TEST(ScheduleTest, WarmUpRisesLinearlyToTheBaseRate) {
  const ScheduleLength length{.iterations = 780, .per_epoch = 78};
  const auto rate = [&](int64_t i) {
    return learning_rate(options("constant", 1), 0.1, i, length);
  };

  EXPECT_NEAR(rate(0), 0.1 / 78, 1e-12);
  EXPECT_NEAR(rate(38), 0.1 * 39 / 78, 1e-12);
  EXPECT_NEAR(rate(77), 0.1, 1e-12);
  EXPECT_NEAR(rate(78), 0.1, 1e-12);
}

TEST(ScheduleTest, CosineStartsAtTheBaseRateIsHalfInTheMiddleAndEndsNearZero) {
  const ScheduleLength length{.iterations = 100, .per_epoch = 10};
  const auto rate = [&](int64_t i) { return learning_rate(options("cosine"), 1, i, length); };

  EXPECT_DOUBLE_EQ(rate(0), 1);
  EXPECT_NEAR(rate(50), 0.5, 1e-12);
  EXPECT_LT(rate(99), 0.001);
  EXPECT_GT(rate(99), 0);
}

TEST(ScheduleTest, AnUnresolvedScheduleIsAnError) {
  EXPECT_THROW(learning_rate(options("auto"), 1, 0, {.iterations = 1, .per_epoch = 1}), Error);
}

}  // namespace
}  // namespace lethe
