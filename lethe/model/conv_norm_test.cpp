#include "lethe/model/conv_norm.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include "lethe/model/init.h"
#include "lethe/model/network.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

// A parent module with one ConvNorm whose statistics are not 0 and 1.
struct Pair {
  Pair() : parts(module, "conv", "bn", {.in = 3, .out = 4, .kernel = 3, .stride = 2}) {
    init_parameters(module, 1);
    at::manual_seed(1);
    at::NoGradGuard no_grad;
    auto state = named_state(module);
    state.at("bn.weight").uniform_(0.5, 2.0);
    state.at("bn.bias").normal_();
    state.at("bn.running_mean").normal_();
    state.at("bn.running_var").uniform_(0.1, 3.0);
  }
  torch::nn::Module module;
  ConvNorm parts;
};

TEST(ConvNormTest, EqualsLibTorchsModules) {
  Pair pair;
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(3, 4, 3).stride(2).padding(1).bias(false));
  torch::nn::BatchNorm2d norm(4);
  const auto state = named_state(pair.module);
  conv->weight.set_data(state.at("conv.weight").detach().clone());
  norm->weight.set_data(state.at("bn.weight").detach().clone());
  norm->bias.set_data(state.at("bn.bias").detach().clone());
  norm->running_mean.copy_(state.at("bn.running_mean"));
  norm->running_var.copy_(state.at("bn.running_var"));
  const auto input = torch::randn({2, 3, 8, 8});

  EXPECT_TRUE(torch::equal(pair.parts.forward(input), norm(conv(input))));
  EXPECT_TRUE(torch::equal(state.at("bn.running_mean"), norm->running_mean));
  EXPECT_TRUE(torch::equal(state.at("bn.running_var"), norm->running_var));
  pair.module.eval();
  norm->eval();
  EXPECT_TRUE(torch::equal(pair.parts.forward(input), norm(conv(input))));
}

TEST(ConvNormTest, FoldingKeepsTheResultAndDropsTheNorm) {
  Pair pair;
  pair.module.eval();
  const auto input = torch::randn({2, 3, 8, 8});
  const auto before = pair.parts.forward(input);

  pair.parts.fold();
  const auto after = pair.parts.forward(input);
  pair.parts.fold();

  EXPECT_LT((after - before).abs().max().item<double>(), 1e-5);
  EXPECT_TRUE(torch::equal(pair.parts.forward(input), after))
      << "a second fold must have no effect";
  const auto state = named_state(pair.module);
  EXPECT_EQ(state.size(), 2u);
  EXPECT_TRUE(state.contains("conv.weight") && state.contains("conv.bias"));
}

TEST(ConvNormTest, DilationWidensTheKernelAndKeepsTheSize) {
  torch::nn::Module module;
  const ConvNorm parts(module, "c", "b", {.in = 1, .out = 1, .kernel = 3, .dilation = 2});
  at::NoGradGuard no_grad;
  named_state(module).at("c.weight").fill_(1);
  module.eval();
  auto input = torch::zeros({1, 1, 7, 7});
  input[0][0][3][3] = 1;

  const auto output = parts.forward(input)[0][0];

  EXPECT_EQ(output.sizes(), torch::IntArrayRef({7, 7}));
  EXPECT_EQ((output > 0).sum().item<int64_t>(), 9);
  EXPECT_GT(output[1][1].item<float>(), 0);
  EXPECT_EQ(output[2][2].item<float>(), 0);
}

TEST(ConvNormTest, OneValuePerChannelDoesNotUpdateTheStatistics) {
  Pair pair;
  const auto input = torch::randn({1, 3, 1, 1});
  const auto mean = named_state(pair.module).at("bn.running_mean").clone();

  const auto trained = pair.parts.forward(input);

  EXPECT_TRUE(torch::equal(named_state(pair.module).at("bn.running_mean"), mean));
  pair.module.eval();
  EXPECT_TRUE(torch::equal(trained, pair.parts.forward(input)));
}

TEST(ConvNormTest, BuildingDoesNotTouchLibTorchsGenerator) {
  at::manual_seed(5);
  const auto expected = torch::rand({3});
  at::manual_seed(5);

  torch::nn::Module module;
  const ConvNorm parts(module, "conv", "bn", {.in = 3, .out = 4, .kernel = 3});
  init_parameters(module, 1);

  EXPECT_TRUE(torch::equal(torch::rand({3}), expected));
}

}  // namespace
}  // namespace lethe
