#include "lethe/data/resize.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"

namespace lethe {
namespace {

DatasetInfo grey(int64_t side) {
  return {.name = "grey",
          .class_names = {"a", "b"},
          .channels = 1,
          .height = side,
          .width = side,
          .mean = {0},
          .std = {1}};
}

TEST(ResizeTest, HalvingAveragesWithAntialiasingAndRounds) {
  // A step between columns 1 and 2 of 4. After halving, a pixel has the triangle weights 1, 3, 3, 1
  // around its centre, cut off at the border: 6/7 on its own side of the step, 1/7 on the other
  // side.
  const auto row = at::tensor({0, 0, 210, 210}, at::kByte);
  const ImageBlock block(grey(4), row.expand({1, 1, 4, 4}), {1}, "grey");

  const auto half = resized(block, 2);

  EXPECT_TRUE(
      at::equal(half->get(0).image, at::tensor({30, 180, 30, 180}, at::kByte).reshape({1, 2, 2})));
  EXPECT_EQ(half->get(0).label, 1);
  EXPECT_EQ(half->info().height, 2);
  EXPECT_EQ(half->info().width, 2);
}

TEST(ResizeTest, AFlatImageKeepsItsValuesInEverySize) {
  const ImageBlock block(grey(5), at::full({300, 1, 5, 5}, 255, at::kByte),
                         std::vector<int64_t>(300, 0), "grey");
  for (const int64_t side : {3, 8}) {
    const auto other = resized(block, side);

    ASSERT_EQ(other->size(), 300);
    EXPECT_TRUE(at::equal(other->get(299).image, at::full({1, side, side}, 255, at::kByte)));
  }
}

TEST(ResizeTest, RefusesASetWithMasks) {
  auto info = grey(2);
  info.problem = Problem::kMasks;
  const ImageBlock block(info, at::zeros({1, 1, 2, 2}, at::kByte), {0}, "grey");

  EXPECT_THROW(resized(block, 4), ConfigError);
}

}  // namespace
}  // namespace lethe
