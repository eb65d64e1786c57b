#include "lethe/data/crop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lethe {
namespace {

TEST(CropTest, EveryBoxLiesWithinTheImageAndHasItsAreaAndProportions) {
  double smallest = 1;
  double largest = 0;
  for (uint32_t number = 0; number < 500; ++number) {
    Random random(1, Purpose::kTest, 0, number);

    const auto box = draw_resized_crop(random, 256, 340);

    EXPECT_GE(box.top, 0);
    EXPECT_GE(box.left, 0);
    EXPECT_LE(box.top + box.height, 256);
    EXPECT_LE(box.left + box.width, 340);
    const double ratio = static_cast<double>(box.width) / static_cast<double>(box.height);
    EXPECT_GE(ratio, 0.74);  // rounding to pixels: slightly outside the bounds
    EXPECT_LE(ratio, 1.35);
    const double area = static_cast<double>(box.width * box.height) / (256 * 340);
    smallest = std::min(smallest, area);
    largest = std::max(largest, area);
  }
  EXPECT_GT(smallest, 0.075);
  EXPECT_LT(smallest, 0.12);
  EXPECT_GT(largest, 0.9);
}

TEST(CropTest, TheDrawsAreAreaProportionsRowAndColumn) {
  Random expected(1, Purpose::kTest, 0, 1);
  const double area = 100 * 100 * expected.uniform(0.08, 1);
  const double ratio = std::exp(expected.uniform(std::log(0.75), std::log(4.0 / 3)));
  const auto height = std::lround(std::sqrt(area / ratio));
  const auto width = std::lround(std::sqrt(area * ratio));
  ASSERT_LE(std::max(height, width), 100);  // fits at the first try
  const auto top = expected.below(101 - height);
  const auto left = expected.below(101 - width);

  Random random(1, Purpose::kTest, 0, 1);
  const auto box = draw_resized_crop(random, 100, 100);

  EXPECT_EQ(box.height, height);
  EXPECT_EQ(box.width, width);
  EXPECT_EQ(box.top, top);
  EXPECT_EQ(box.left, left);
}

TEST(CropTest, AnImageTooLongForAnyDrawGivesItsCentre) {
  Random random(1, Purpose::kTest);
  const auto wide = draw_resized_crop(random, 3, 3000);
  const auto high = draw_resized_crop(random, 3000, 3);

  EXPECT_EQ(wide.height, 3);
  EXPECT_EQ(wide.width, 4);
  EXPECT_EQ(wide.left, 1498);
  EXPECT_EQ(high.height, 4);
  EXPECT_EQ(high.top, 1498);
}

}  // namespace
}  // namespace lethe
