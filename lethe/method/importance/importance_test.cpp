#include "lethe/method/importance/importance.h"

#include <gtest/gtest.h>

#include "lethe/model/torch.h"

namespace lethe {
namespace {

at::Tensor vector(const std::vector<double>& values) {
  return torch::tensor(values, torch::kDouble);
}

TEST(ImportancePenaltyTest, TV3ValueAndGradient) {
  const double lambda = 100;
  auto parameter = vector({1, -2, 0.5}).requires_grad_();
  const auto penalty =
      lambda * importance_penalty(parameter, vector({0.8, -1.5, 0.5}), vector({2, 0.1, 3}));
  penalty.backward();

  EXPECT_NEAR(penalty.item<double>(), 5.25, 1e-9);
  EXPECT_TRUE(torch::allclose(parameter.grad(), vector({40, -5, 0})));
}

TEST(GradientMeanTest, TV4BatchMeanAndPerSample) {
  const std::vector<NamedTensor> parameters = {{"w", torch::zeros({2, 2}, torch::kDouble)}};
  const auto first = torch::tensor({{-0.689974, -1.379949}, {0.689974, 1.379949}}, torch::kDouble);
  const auto second = torch::tensor({{2.574447, -0.858149}, {-2.574447, 0.858149}}, torch::kDouble);
  GradientMean per_sample, batch_mean;

  per_sample.add(parameters, {first}, 1);
  per_sample.add(parameters, {second}, 1);
  batch_mean.add(parameters, {(first + second) / 2}, 2);

  const auto rows = [](double x, double y) {
    return torch::tensor({{x, y}, {x, y}}, torch::kDouble);
  };
  EXPECT_TRUE(torch::allclose(per_sample.mean().at("w"), rows(3.551921, 1.320339), 1e-5));
  EXPECT_TRUE(torch::allclose(batch_mean.mean().at("w"), rows(0.887809, 1.252271), 1e-5));
}

}  // namespace
}  // namespace lethe
