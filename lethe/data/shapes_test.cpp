#include "lethe/data/shapes.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace lethe {
namespace {

struct Block {
  at::Tensor images;  // float [N, C, H, W], values in [0, 1]
  at::Tensor labels;  // [N]
};

Block block_of(const Dataset& dataset) {
  std::vector<at::Tensor> images;
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < dataset.size(); ++i) {
    const auto sample = dataset.get(i);
    images.push_back(sample.image);
    labels.push_back(sample.label);
  }
  return {at::stack(images).to(at::kFloat) / 255, at::tensor(labels)};
}

const DataSplits& shapes() {
  static const DataSplits splits = make_shapes();
  return splits;
}

TEST(ShapesTest, HasTwelveNamedClassesOfTheSameSize) {
  const auto& splits = shapes();

  const auto& names = splits.train->info().class_names;
  const std::set<std::string> distinct(names.begin(), names.end());
  std::map<int64_t, int64_t> train;
  std::map<int64_t, int64_t> test;
  for (int64_t i = 0; i < splits.train->size(); ++i) ++train[splits.train->get(i).label];
  for (int64_t i = 0; i < splits.test->size(); ++i) ++test[splits.test->get(i).label];
  EXPECT_EQ(distinct.size(), 12);
  EXPECT_TRUE(distinct.contains("striped circle"));
  EXPECT_TRUE(distinct.contains("checkered cross"));
  for (int64_t label = 0; label < kShapesClasses; ++label) {
    EXPECT_EQ(train[label], kShapesTrainPerClass);
    EXPECT_EQ(test[label], kShapesTestPerClass);
  }
}

TEST(ShapesTest, IsTheSameEveryTimeAndTheSplitsDiffer) {
  const auto train = block_of(*shapes().train).images;
  const auto test = block_of(*shapes().test).images;
  const auto again = make_shapes();

  EXPECT_TRUE(at::equal(block_of(*again.train).images, train));
  EXPECT_TRUE(at::equal(block_of(*again.test).images, test));
  const auto same = train.slice(0, 0, test.size(0)).eq(test).flatten(1).all(1);
  EXPECT_FALSE(same.any().item<bool>());
}

TEST(ShapesTest, AsManyImagesAsAskedBeginWithThoseOfTheDefault) {
  const auto more = make_shapes({.train_per_class = 1, .test_per_class = 150});

  ASSERT_EQ(more.test->size(), 12 * 150);
  EXPECT_EQ(more.train->size(), 12);
  EXPECT_TRUE(at::equal(more.test->get(1199).image, shapes().test->get(1199).image));
}

TEST(ShapesTest, MeanAndDeviationAreThoseOfTheTrainingImages) {
  const auto& splits = shapes();
  const auto block = block_of(*splits.train);

  const auto& info = splits.train->info();
  for (int64_t c = 0; c < 3; ++c) {
    const auto channel = block.images.select(1, c).to(at::kDouble);
    EXPECT_NEAR(channel.mean().item<double>(), info.mean[static_cast<size_t>(c)], 1e-4);
    EXPECT_NEAR(channel.std().item<double>(), info.std[static_cast<size_t>(c)], 1e-4);
  }
}

TEST(ShapesTest, ALinearModelOnPixelsLearnsSomethingButStaysBelowSixtyPercent) {
  const auto& splits = shapes();
  const auto train = block_of(*splits.train);
  const auto test = block_of(*splits.test);
  const auto features = [](const at::Tensor& images) { return (images.flatten(1) - 0.4) / 0.25; };
  const auto x = features(train.images);
  const auto target = at::one_hot(train.labels, kShapesClasses).to(at::kFloat);
  auto weight = at::zeros({x.size(1), kShapesClasses});
  auto momentum = at::zeros_like(weight);

  double best = 0;
  for (int step = 1; step <= 100; ++step) {
    const auto residual = at::softmax(at::matmul(x, weight), 1) - target;
    momentum = 0.9 * momentum + at::matmul(x.t(), residual) / x.size(0);
    weight -= 0.003 * momentum;
    if (step % 20 != 0) continue;
    const auto guess = at::matmul(features(test.images), weight).argmax(1);
    best = std::max(best, guess.eq(test.labels).to(at::kFloat).mean().item<double>());
  }

  EXPECT_GT(best, 0.2);  // chance is 1/12
  EXPECT_LT(best, 0.6);
}

}  // namespace
}  // namespace lethe
