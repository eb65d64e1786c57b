#include "lethe/metrics/few_shot.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace lethe {
namespace {

// Class 0 points to the right, class 1 upwards; the lengths differ.
const at::Tensor kFit = at::tensor({1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, 5.0}).reshape({4, 2});
const at::Tensor kFitLabels = at::tensor({0, 0, 1, 1}, at::kLong);

TEST(FewShotTest, AFeatureBelongsToTheNearestMeanByCosine) {
  const auto rows = at::tensor({3.0, 1.0, 0.1, 0.2, 0.2, 0.1, 1.0, 9.0}).reshape({4, 2});
  const auto labels = at::tensor({0, 0, 1, 1}, at::kLong);

  const auto accuracy = few_shot_accuracy(kFit, kFitLabels, rows, labels, {0, 1});

  ASSERT_EQ(accuracy.size(), 2u);
  EXPECT_NEAR(accuracy.at(0), 0.5, 1e-12);
  EXPECT_NEAR(accuracy.at(1), 0.5, 1e-12);
}

TEST(FewShotTest, OnlyTheGivenClassesCompete) {
  const auto rows = at::tensor({0.1, 0.2}).reshape({1, 2});
  const auto labels = at::tensor({0}, at::kLong);

  EXPECT_TRUE(few_shot_accuracy(kFit, kFitLabels, rows, labels, {0}).empty());
  EXPECT_TRUE(few_shot_accuracy(kFit, kFitLabels, rows, labels, {0, 7}).empty());  // no row of 7
  EXPECT_EQ(few_shot_accuracy(kFit, kFitLabels, rows, labels, {0, 1}).at(0), 0);
}

TEST(FewShotTest, TheChoiceOfImagesIsAMeanOverDrawsAndRepeatable) {
  // One of four images of class 0 misleads: with one shot, one draw in four is wrong.
  const auto fit = at::tensor({1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 1.0}).reshape({5, 2});
  const auto fit_labels = at::tensor({0, 0, 0, 0, 1}, at::kLong);
  const auto rows = at::tensor({1.0, 0.5}).reshape({1, 2});
  const auto labels = at::tensor({0}, at::kLong);
  const auto measured = [&](int64_t shots, uint64_t seed) {
    return few_shot_accuracy(fit, fit_labels, rows, labels, {0, 1},
                             {.shots = shots, .draws = 2000, .seed = seed})
        .at(0);
  };

  EXPECT_NEAR(measured(1, 0), 0.75, 0.04);  // four standard errors
  EXPECT_EQ(measured(1, 0), measured(1, 0));
  EXPECT_NE(measured(1, 0), measured(1, 1));
  EXPECT_NEAR(measured(5, 0), 1, 1e-9);  // all images: their mean is right
}

}  // namespace
}  // namespace lethe
