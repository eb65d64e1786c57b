#include "lethe/data/shapes_seg.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lethe/core/class_set.h"
#include "lethe/data/fingerprint.h"

namespace lethe {
namespace {

const DataSplits& splits() {
  static const DataSplits made = make_shapes_seg();
  return made;
}

TEST(ShapesSegTest, HasTwentyNamedClassesBesideBackground) {
  const auto& info = splits().train->info();
  const std::set<std::string> names(info.class_names.begin(), info.class_names.end());

  EXPECT_EQ(info.problem, Problem::kMasks);
  EXPECT_EQ(names.size(), 21U);
  EXPECT_EQ(info.class_names.front(), "background");
  EXPECT_EQ(splits().train->size(), kShapesSegTrain);
  EXPECT_EQ(splits().test->size(), kShapesSegTest);
}

TEST(ShapesSegTest, TheLabelsAreThoseOfTheMask) {
  for (int64_t i = 0; i < 60; ++i) {
    const auto sample = splits().train->get(i);
    ASSERT_EQ(sample.image.sizes(), (at::IntArrayRef{3, 64, 64}));
    std::vector<int64_t> labels;
    for (int64_t label = 1; label <= 20; ++label) {
      if (sample.mask.eq(label).any().item<bool>()) labels.push_back(label);
    }

    EXPECT_EQ(splits().train->labels_of(i), labels);
    EXPECT_GE(sample.mask.eq(1 + i % 20).sum().item<int64_t>(), 60);  // in front, so never occluded
    EXPECT_LE(labels.size(), 4U);
    EXPECT_TRUE(sample.mask.eq(kVoid).any().item<bool>());
  }
}

TEST(ShapesSegTest, IsTheSameEveryTimeAndTestImagesAreOthers) {
  EXPECT_EQ(fingerprint(*make_shapes_seg().train), fingerprint(*splits().train));
  EXPECT_FALSE(at::equal(splits().train->get(0).image, splits().test->get(0).image));
}

TEST(ShapesSegTest, CooccurrenceDecidesHowManyImagesShowSeveralClasses) {
  const auto several = [](const Dataset& dataset) {
    int64_t count = 0;
    for (int64_t i = 0; i < dataset.size(); ++i) count += dataset.labels_of(i).size() > 1 ? 1 : 0;
    return static_cast<double>(count) / static_cast<double>(dataset.size());
  };

  EXPECT_EQ(several(*make_shapes_seg({.cooccurrence = 0}).test), 0);
  EXPECT_EQ(several(*make_shapes_seg({.cooccurrence = 1}).test), 1);
  EXPECT_NEAR(several(*splits().train), 0.7, 0.04);
}

TEST(ShapesSegTest, TheConstantsAreThoseOfTheTrainingImages) {
  const auto& info = splits().train->info();
  auto sum = at::zeros({3}, at::kDouble);
  auto squares = at::zeros({3}, at::kDouble);
  for (int64_t i = 0; i < splits().train->size(); ++i) {
    const auto image = splits().train->get(i).image.to(at::kDouble).div(255);
    sum += image.mean({1, 2});
    squares += image.square().mean({1, 2});
  }
  const auto mean = sum / kShapesSegTrain;
  const auto deviation = (squares / kShapesSegTrain - mean.square()).sqrt();
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(mean[static_cast<int64_t>(c)].item<double>(), info.mean[c], 1e-4);
    EXPECT_NEAR(deviation[static_cast<int64_t>(c)].item<double>(), info.std[c], 1e-4);
  }
}

}  // namespace
}  // namespace lethe
