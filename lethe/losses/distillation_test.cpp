#include "lethe/losses/distillation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

namespace lethe {
namespace {

at::Tensor row(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble).unsqueeze(0);
}

class DistillationTest : public testing::Test {
 protected:
  // TV-2: T = 2, a = 30, lambda = 5, class 0 forgotten.
  static constexpr double kTemperature = 2;
  static constexpr double kWeight = 5.0 * 30 * 30 * kTemperature * kTemperature;
  at::Tensor student_ = row({0.6, 0.1, -0.1, 0.2});
  at::Tensor teacher_ = row({0.5, 0.3, 0.0, -0.2});
  at::Tensor all_ = at::ones({4}, at::kDouble);
  at::Tensor kept_ = at::tensor(std::vector<double>{0, 1, 1, 1}, at::kDouble);
};

TEST_F(DistillationTest, TV2ValuesAreThePrintedOnes) {
  const auto plain =
      masked_distillation_loss(student_, teacher_, all_, kTemperature).item<double>();
  const auto star =
      masked_distillation_loss(student_, teacher_, kept_, kTemperature).item<double>();
  const auto uniform =
      uniform_distillation_loss(student_, 1 - kept_, 1.0 / 4, kTemperature).item<double>();

  EXPECT_NEAR(plain, 0.00610414, 1e-8);
  EXPECT_NEAR(kWeight * plain, 109.874491, 1e-5 * 110);
  EXPECT_NEAR(star, 0.00639600, 1e-8);
  EXPECT_NEAR(kWeight * star, 115.127946, 1e-5 * 115);
  EXPECT_NEAR(uniform, 0.00312574, 1e-8);
  EXPECT_NEAR(kWeight * (star + uniform), 171.391325, 1e-5 * 171);
}

TEST_F(DistillationTest, TV2GradientsAreThePrintedOnes) {
  auto student = student_.clone().requires_grad_();
  (kWeight * masked_distillation_loss(student, teacher_, kept_, kTemperature)).backward();
  const auto expected = row({0, -267.910861, -128.947091, 418.947620});
  EXPECT_TRUE(at::allclose(student.grad(), expected, 1e-5, 0)) << student.grad();

  auto other = student_.clone().requires_grad_();
  (kWeight * uniform_distillation_loss(other, 1 - kept_, 1.0 / 4, kTemperature)).backward();
  EXPECT_TRUE(at::allclose(other.grad(), row({325.452238, 0, 0, 0}), 1e-5, 0)) << other.grad();
}

TEST_F(DistillationTest, TheUniformTermIsZeroAtItsScore) {
  EXPECT_NEAR(uniform_distillation_loss(student_, 1 - kept_, 0.6, kTemperature).item<double>(), 0,
              1e-15);  // the forgotten class has the score 0.6
  EXPECT_GT(uniform_distillation_loss(student_, 1 - kept_, -0.3, kTemperature).item<double>(),
            uniform_distillation_loss(student_, 1 - kept_, 0.25, kTemperature).item<double>());
}

TEST_F(DistillationTest, IsZeroExactlyWhereTheKeptScoresAgree) {
  auto same_kept = teacher_.clone();
  same_kept[0][0] = -0.9;  // the forgotten score may differ

  EXPECT_EQ(masked_distillation_loss(same_kept, teacher_, kept_, kTemperature).item<double>(), 0);
  EXPECT_GT(masked_distillation_loss(same_kept, teacher_, all_, kTemperature).item<double>(), 0);
}

TEST_F(DistillationTest, UnmaskedGradientSumsToZeroAndTheTeacherGetsNone) {
  auto student = student_.clone().requires_grad_();
  auto teacher = teacher_.clone().requires_grad_();

  masked_distillation_loss(student, teacher, all_, kTemperature).backward();

  EXPECT_NEAR(student.grad().sum().item<double>(), 0, 1e-12);
  EXPECT_FALSE(teacher.grad().defined());
}

TEST_F(DistillationTest, HighTemperatureTendsToHalfTheVarianceOfTheDifference) {
  const auto scaled = [&](double t) {
    return t * t * masked_distillation_loss(student_, teacher_, all_, t).item<double>();
  };

  EXPECT_NEAR(scaled(2), 0.024417, 1e-6);
  EXPECT_NEAR(scaled(10), 0.025896, 1e-6);
  EXPECT_NEAR(scaled(100), 0.026215, 1e-6);
  const double limit = 0.5 * (student_ - teacher_).var(1, /*unbiased=*/false).item<double>();
  EXPECT_NEAR(limit, 0.026250, 1e-9);
  EXPECT_NEAR(scaled(10000), limit, 1e-6);
}

}  // namespace
}  // namespace lethe
