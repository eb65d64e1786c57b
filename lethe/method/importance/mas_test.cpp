#include "lethe/method/importance/mas.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/support/fake_stream.h"

namespace lethe {
namespace {

// z = W x with two batches of one sample.
at::Tensor tv5(GradientMean::Of importance) {
  const auto weight = torch::tensor({{1.0, 2.0}, {3.0, 4.0}}, torch::kDouble).requires_grad_();
  GradientMean mean(importance);
  for (const auto& x : {torch::tensor({{1.0, 1.0}}, torch::kDouble),
                        torch::tensor({{1.0, -1.0}}, torch::kDouble)}) {
    const auto length = score_length(torch::mm(x, weight.t()), importance);
    mean.add({{"w", weight}}, torch::autograd::grad({length}, {weight}), 1);
  }
  return mean.mean().at("w");
}

TEST(MasTest, TV5SquaresAndAbsoluteValues) {
  EXPECT_TRUE(torch::allclose(
      tv5(GradientMean::Of::kAbsolute),
      torch::tensor({{0.550513, 0.550513}, {0.813126, 0.813126}}, torch::kDouble), 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(
      tv5(GradientMean::Of::kSquare),
      torch::tensor({{0.081897, 0.081897}, {0.168103, 0.168103}}, torch::kDouble), 1e-5, 1e-6));
}

TEST(MasTest, TheWeightFollowsTheSizeOfTheImages) {
  MasOptions small, large;
  small.resolve({.height = 32, .width = 32});
  large.resolve({.height = 224, .width = 224});
  EXPECT_EQ(small.lambda, 5);
  EXPECT_EQ(large.lambda, 1);
}

class MasStreamTest : public test::FakeStream {};

TEST_F(MasStreamTest, LabelsMakeNoDifference) {
  const auto state = [&](const Batch& batch) {
    Mas mas({.lambda = 5});
    auto at_hand = learner({batch});
    mas.end_task(plan_.task(1), at_hand);
    return mas.state().at("importance.trunk");
  };
  const auto one = batch_of({0, 1, 1});
  const Batch other = {.images = one.images, .labels = torch::tensor({1, 0, 0})};

  EXPECT_TRUE(state(one).equal(state(other)));
  EXPECT_GT(state(one).max().item<float>(), 0);
  EXPECT_GE(state(one).min().item<float>(), 0);
}

TEST_F(MasStreamTest, ThePenaltyIsZeroInTheFirstTaskAndPositiveLater) {
  Mas mas({.lambda = 5});
  auto at_hand = learner({batch_of({0, 1, 1})});
  mas.begin_task(plan_.task(1), at_hand);
  const auto batch = batch_of({0, 1});
  auto first = step(1, batch);
  EXPECT_TRUE(mas.losses(first).empty());
  mas.end_task(plan_.task(1), at_hand);
  mas.begin_task(plan_.task(2), at_hand);
  next_task();

  auto second = step(2, batch);
  const auto terms = mas.losses(second);

  ASSERT_EQ(names(terms), std::vector<std::string>{"mas"});
  EXPECT_EQ(terms[0].weight, 5);
  EXPECT_GT(terms[0].value.item<float>(), 0);
  EXPECT_FALSE(mas.state_of(0).empty());
  mas.purge(ClassSet{0});
  EXPECT_TRUE(mas.state_of(0).empty());
}

}  // namespace
}  // namespace lethe
