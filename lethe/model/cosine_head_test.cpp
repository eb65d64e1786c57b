#include "lethe/model/cosine_head.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

void assign(const at::Tensor& parameter, const at::Tensor& values) {
  at::NoGradGuard no_grad;
  parameter.copy_(values);
}

TEST(CosineHeadsTest, ScoresAreCosinesInStreamOrder) {
  CosineHeads heads(2);
  assign(heads.add(2, {}).weight, torch::tensor({{5.0f, 0.0f}, {0.0f, 0.5f}}));
  assign(heads.add(1, {}).weight, torch::tensor({{-3.0f, -4.0f}}));

  const auto logits = heads.forward(torch::tensor({{3.0f, 4.0f}}));

  EXPECT_TRUE(torch::allclose(logits, torch::tensor({{0.6f, 0.8f, -1.0f}})));
}

TEST(CosineHeadsTest, LengthsDoNotMatter) {
  CosineHeads heads(16);
  at::manual_seed(1);
  const auto weight = heads.add(5, {}).weight;
  assign(weight, torch::randn({5, 16}));
  const auto features = torch::randn({8, 16});
  const auto logits = heads.forward(features).detach();

  EXPECT_LE(logits.abs().max().item<double>(), 1.0 + 1e-6);
  EXPECT_TRUE(torch::allclose(heads.forward(features * 1000), logits, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(heads.forward(features * 1e-3), logits, 1e-5, 1e-6));
  assign(weight, weight * torch::tensor({0.01f, 0.1f, 1.0f, 10.0f, 100.0f}).unsqueeze(1));
  EXPECT_TRUE(torch::allclose(heads.forward(features), logits, 1e-5, 1e-6));
}

TEST(CosineHeadsTest, GradientMatchesFiniteDifferences) {
  CosineHeads heads(3);
  const auto options = torch::dtype(torch::kFloat64);
  const auto weight = heads.add(2, options).weight;
  at::manual_seed(1);
  assign(weight, torch::randn({2, 3}, options));
  auto features = torch::randn({4, 3}, options).requires_grad_();
  const auto direction = torch::randn({4, 2}, options);
  const auto value = [&] { return (heads.forward(features) * direction).sum(); };

  value().backward();

  at::NoGradGuard no_grad;
  const double step = 1e-6;  // central difference: error of order 1e-10 here
  for (const auto& tensor : {features, weight}) {
    auto flat = tensor.view({-1});
    for (int64_t i = 0; i < flat.size(0); ++i) {
      flat[i] += step;
      const auto up = value().item<double>();
      flat[i] -= 2 * step;
      const auto down = value().item<double>();
      flat[i] += step;
      EXPECT_NEAR((up - down) / (2 * step), tensor.grad().view({-1})[i].item<double>(), 1e-8);
    }
  }
}

TEST(CosineHeadsTest, AZeroFeatureGivesZeroAndAFiniteGradient) {
  CosineHeads heads(2);
  assign(heads.add(1, {}).weight, torch::ones({1, 2}));
  auto features = torch::zeros({1, 2}).requires_grad_();

  const auto logits = heads.forward(features);
  logits.sum().backward();

  EXPECT_EQ(logits.item<float>(), 0.0f);
  EXPECT_TRUE(torch::isfinite(features.grad()).all().item<bool>());
}

TEST(CosineHeadsTest, MisuseIsAnError) {
  CosineHeads heads(2);
  EXPECT_THROW(heads.forward(torch::ones({1, 2})), Error) << "no head yet";
  EXPECT_THROW(heads.add(0, {}), Error);
  heads.add(1, {});
  EXPECT_THROW(heads.forward(torch::ones({1, 3})), Error);
}

}  // namespace
}  // namespace lethe
