#include "lethe/trainer/loss_scaler.h"

#include <gtest/gtest.h>

#include <limits>

#include "lethe/core/error.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

std::vector<SgdParameter> with_gradient(float value) {
  const auto tensor = torch::ones({2}).requires_grad_();
  tensor.mutable_grad() = torch::full({2}, value);
  return {{"w", tensor}, {"unused", torch::ones({1}).requires_grad_()}};
}

TEST(LossScalerTest, UnscalingRestoresTheGradients) {
  LossScaler scaler;
  const auto parameters = with_gradient(static_cast<float>(0.5 * scaler.scale()));

  EXPECT_TRUE(scaler.unscale(parameters));

  EXPECT_EQ(parameters[0].tensor.grad()[0].item<float>(), 0.5F);
}

TEST(LossScalerTest, AnOverflowSkipsTheStepAndHalvesTheFactor) {
  LossScaler scaler;
  const double before = scaler.scale();

  EXPECT_FALSE(scaler.unscale(with_gradient(std::numeric_limits<float>::infinity())));
  EXPECT_EQ(scaler.scale(), before / 2);
  EXPECT_FALSE(scaler.unscale(with_gradient(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(scaler.scale(), before / 4);
}

TEST(LossScalerTest, TheFactorGrowsAfterManyGoodStepsAlsoAfterAResume) {
  LossScaler scaler;
  const double before = scaler.scale();
  for (int i = 0; i < 1500; ++i) scaler.unscale(with_gradient(1));
  StateDict state;
  scaler.put(state);

  LossScaler again;
  again.take(state);
  for (int i = 0; i < 500; ++i) again.unscale(with_gradient(1));

  EXPECT_TRUE(state.empty());
  EXPECT_EQ(again.scale(), 2 * before);
  EXPECT_THROW(again.take(state), DataError);
}

}  // namespace
}  // namespace lethe
