#include "lethe/trainer/sgd.h"

#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include "lethe/core/error.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

std::vector<SgdParameter> two_parameters() {
  return {{"w", torch::linspace(-1, 1, 6).reshape({2, 3}).clone().requires_grad_()},
          {"b", torch::tensor({0.5f, -2.0f}).requires_grad_()}};
}

void set_gradients(const std::vector<SgdParameter>& parameters, int step) {
  for (const auto& parameter : parameters)
    parameter.tensor.mutable_grad() = torch::sin(parameter.tensor.detach() * (step + 1));
}

class SgdTest : public testing::TestWithParam<SgdOptions> {};

TEST_P(SgdTest, IsBitIdenticalToTheOptimiserOfLibTorch) {
  auto ours = two_parameters();
  auto theirs = two_parameters();
  Sgd sgd(ours, GetParam());
  torch::optim::SGD reference({theirs[0].tensor, theirs[1].tensor},
                              torch::optim::SGDOptions(0.1)
                                  .momentum(GetParam().momentum)
                                  .weight_decay(GetParam().weight_decay)
                                  .nesterov(GetParam().nesterov));
  for (int step = 0; step < 5; ++step) {
    set_gradients(ours, step);
    set_gradients(theirs, step);
    sgd.step(0.1);
    reference.step();
  }

  for (size_t i = 0; i < ours.size(); ++i)
    EXPECT_TRUE(torch::equal(ours[i].tensor, theirs[i].tensor));
}

INSTANTIATE_TEST_SUITE_P(
    Forms, SgdTest,
    testing::Values(SgdOptions{.momentum = 0}, SgdOptions{.momentum = 0.9},
                    SgdOptions{.momentum = 0.9, .weight_decay = 0.01},
                    SgdOptions{.momentum = 0.8, .weight_decay = 0.01, .nesterov = true}));

TEST_P(SgdTest, DivergesAboveTheStableCurvatureAndConvergesBelowIt) {
  SgdOptions options = GetParam();
  options.weight_decay = 0;
  constexpr double kRate = 0.05;
  const auto after = [&](double curvature) {
    const auto x = torch::ones({1}, torch::kDouble).requires_grad_();
    Sgd sgd({{"x", x}}, options);
    for (int step = 0; step < 2000; ++step) {
      x.mutable_grad() = curvature * x.detach();
      sgd.step(kRate);
    }
    return std::abs(x.item<double>());
  };

  EXPECT_LT(after(0.98 * stable_curvature(options, kRate)), 1e-3);
  EXPECT_GT(after(1.02 * stable_curvature(options, kRate)), 1e3);
}

TEST(SgdStateTest, ARestoredOptimiserContinuesExactlyAndANewOneDoesNot) {
  const auto trained = [](bool restart, bool restore) {
    auto parameters = two_parameters();
    auto sgd = std::make_unique<Sgd>(parameters, SgdOptions{});
    for (int step = 0; step < 6; ++step) {
      if (step == 3 && restart) {
        const auto state = sgd->state();
        sgd = std::make_unique<Sgd>(parameters, SgdOptions{});
        if (restore) sgd->load(state);
      }
      set_gradients(parameters, step);
      sgd->step(0.1);
    }
    return parameters[0].tensor.detach().clone();
  };

  EXPECT_TRUE(torch::equal(trained(true, true), trained(false, false)));
  EXPECT_FALSE(torch::equal(trained(true, false), trained(false, false)));
}

TEST(SgdStateTest, StateThatMatchesNoParameterIsADataError) {
  Sgd sgd(two_parameters(), {});

  EXPECT_THROW(sgd.load({{"momentum.unknown", torch::zeros({2})}}), DataError);
  EXPECT_THROW(sgd.load({{"momentum.b", torch::zeros({3})}}), DataError);
}

TEST(SgdClipTest, ScalesTheWholeGradientOnlyAboveTheLimit) {
  auto parameters = two_parameters();
  parameters[0].tensor.mutable_grad() = torch::zeros({2, 3});
  parameters[1].tensor.mutable_grad() = torch::tensor({3.0f, 4.0f});
  Sgd sgd(parameters, {});

  EXPECT_DOUBLE_EQ(sgd.clip_grad_norm(10), 5);
  EXPECT_FLOAT_EQ(parameters[1].tensor.grad()[0].item<float>(), 3);
  EXPECT_DOUBLE_EQ(sgd.clip_grad_norm(1), 5);
  EXPECT_NEAR(parameters[1].tensor.grad().norm().item<float>(), 1, 1e-5);
}

TEST(SgdStepTest, AFactorScalesTheStepOfItsParameterOnly) {
  auto plain = two_parameters();
  auto slowed = two_parameters();
  slowed[1].lr_factor = 0.25;
  const auto start = plain[1].tensor.detach().clone();
  for (auto* parameters : {&plain, &slowed}) {
    set_gradients(*parameters, 0);
    Sgd(*parameters, {}).step(0.5);
  }

  EXPECT_TRUE(torch::equal(plain[0].tensor, slowed[0].tensor));
  EXPECT_TRUE(torch::allclose(slowed[1].tensor - start, 0.25 * (plain[1].tensor - start)));
}

TEST(SgdStepTest, AParameterWithoutAGradientDoesNotChange) {
  auto parameters = two_parameters();
  parameters[1].tensor.mutable_grad() = torch::ones({2});
  const auto before = parameters[0].tensor.detach().clone();
  Sgd sgd(parameters, {.momentum = 0.9, .weight_decay = 0.1});

  sgd.step(0.1);

  EXPECT_TRUE(torch::equal(parameters[0].tensor, before));
}

}  // namespace
}  // namespace lethe
