#include "lethe/features/pixels.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

namespace lethe {
namespace {

at::Tensor numbers(const std::vector<int64_t>& values, at::IntArrayRef shape) {
  return at::tensor(values, at::kLong).reshape(shape);
}

TEST(PixelsTest, LabelsAreTakenAtTheFirstPixelOfEveryBlock) {
  const auto labels = at::arange(16, at::kLong).reshape({1, 4, 4});
  EXPECT_TRUE(downsample_labels(labels, 2, 2).equal(numbers({0, 2, 8, 10}, {1, 2, 2})));
  EXPECT_TRUE(downsample_labels(labels, 4, 4).equal(labels));
  const auto large = at::arange(512, at::kLong).reshape({1, 512, 1}).expand({1, 512, 512});
  const auto small = downsample_labels(large, 32, 32);
  EXPECT_TRUE(small.select(2, 0).flatten().equal(at::arange(32, at::kLong) * 16));
}

TEST(PixelsTest, RowsAreOrderedImageByImageRowByRow) {
  const auto map = at::arange(2 * 3 * 2 * 2).reshape({2, 3, 2, 2});
  const auto rows = pixel_rows(map);
  EXPECT_TRUE(rows[5].equal(map[1].select(1, 0).select(1, 1)));  // image 1, row 0, column 1
}

TEST(PixelsTest, TV13PseudoLabels) {
  const auto labels = numbers({0, 0, 16, 255, 0}, {1, 1, 5});
  const auto answers = numbers({2, 0, 5, 3, 15}, {1, 1, 5});
  const auto logits = at::one_hot(answers, 16).permute({0, 3, 1, 2}).to(at::kFloat);
  EXPECT_TRUE(pseudo_labels(labels, logits).equal(numbers({2, 0, 16, 255, 15}, {1, 1, 5})));
  // e / (e + 15) = 0.15: no prediction reaches the threshold.
  EXPECT_TRUE(pseudo_labels(labels, logits, 0.7).equal(labels));
  EXPECT_TRUE(pseudo_labels(labels, 20 * logits, 0.7).equal(pseudo_labels(labels, logits)));
}

TEST(PixelsTest, PseudoLabelsOfAMapAreThoseOfTheImageAtItsPositions) {
  const auto labels = at::randint(0, 3, {2, 12, 8}, at::kLong);
  const auto logits = at::randn({2, 5, 12, 8});
  for (const double threshold : {0.0, 0.4}) {
    EXPECT_TRUE(pseudo_labels_at(labels, logits, 3, 4, threshold)
                    .equal(downsample_labels(pseudo_labels(labels, logits, threshold), 3, 4)));
  }
  EXPECT_TRUE(pseudo_labels_at(labels, {}, 3, 4).equal(downsample_labels(labels, 3, 4)));
}

TEST(PixelsTest, PixelsAreGroupedByClassAndImageWithoutVoid) {
  const auto map = at::arange(2 * 1 * 2 * 2, at::kFloat).reshape({2, 1, 2, 2});
  const auto labels = numbers({0, 1, 1, 255, 1, 2, 2, 2}, {2, 2, 2});
  const auto batch = group_pixels(map, labels, GroupScope::kBatch);
  EXPECT_TRUE(batch.classes.equal(numbers({0, 1, 2}, {3})));
  EXPECT_TRUE(at::allclose(batch.means().flatten(),
                           at::tensor(std::vector<float>{0, (1.f + 2 + 4) / 3, 6})));
  const auto images = group_pixels(map, labels, GroupScope::kImage);
  EXPECT_TRUE(images.classes.equal(numbers({0, 1, 1, 2}, {4})));
  EXPECT_TRUE(images.images.equal(numbers({0, 0, 1, 1}, {4})));
}

TEST(PixelsTest, ClassesCanBeTurnedIntoBackground) {
  const auto labels = numbers({0, 1, 2, 255}, {1, 2, 2});
  EXPECT_TRUE(without_classes(labels, {1}).equal(numbers({0, 0, 2, 255}, {1, 2, 2})));
  EXPECT_TRUE(without_classes(labels, {}).equal(labels));
}

}  // namespace
}  // namespace lethe
