#include "lethe/data/placement.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lethe/data/crop.h"

namespace lethe {
namespace {

at::Tensor counting(int64_t height, int64_t width) {
  return at::arange(1, height * width + 1, at::kLong).to(at::kByte).reshape({height, width});
}

TEST(PlacementTest, EvaluationScalesTheShorterSideAndShowsTheCentre) {
  const auto wide = centred_window({.height = 375, .width = 500}, {.height = 512, .width = 512});
  const auto high = centred_window({.height = 500, .width = 375}, {.height = 512, .width = 512});

  EXPECT_EQ(wide.scaled.height, 512);
  EXPECT_EQ(wide.scaled.width, 682);  // 512 * 500 / 375 rounded down
  EXPECT_EQ(wide.left, 85);
  EXPECT_EQ(wide.top, 0);
  EXPECT_EQ(high.scaled.height, 682);
  EXPECT_EQ(high.top, 85);
}

TEST(PlacementTest, AnImageOfTheWindowsSizeStaysAsItIs) {
  const ImageSize size = {.height = 4, .width = 6};
  const auto placement = centred_window(size, size);
  const auto map = counting(4, 6);

  EXPECT_TRUE(at::equal(place(map.unsqueeze(0), placement, size)[0], map));
  EXPECT_TRUE(at::equal(place_nearest(map, placement, size), map));
}

TEST(PlacementTest, AMaskTakesThePixelUnderTheCentre) {
  const Placement half = {.part = {.height = 4, .width = 4}, .scaled = {.height = 2, .width = 2}};
  const Placement twice = {.part = {.top = 1, .left = 1, .height = 2, .width = 2},
                           .scaled = {.height = 4, .width = 4}};

  EXPECT_TRUE(at::equal(place_nearest(counting(4, 4), half, {.height = 2, .width = 2}),
                        at::tensor({6, 8, 14, 16}, at::kByte).reshape({2, 2})));
  EXPECT_TRUE(at::equal(place_nearest(counting(4, 4), twice, {.height = 4, .width = 4})[1],
                        at::tensor({6, 6, 7, 7}, at::kByte)));
}

// An image with blocks that are much larger than the blur between them. Within a block, image and
// mask must be equal.
at::Tensor blocks(int64_t height, int64_t width, int64_t side) {
  auto map = at::empty({height, width}, at::kByte);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) map[y][x] = 20 + 30 * ((y / side * 3 + x / side * 5) % 8);
  }
  return map;
}

TEST(PlacementTest, ImageAndMaskHaveOneGeometry) {
  const auto map = blocks(96, 120, 24);
  const ImageSize from = {.height = 96, .width = 120};
  const ImageSize window = {.height = 80, .width = 80};
  for (uint32_t number = 0; number < 30; ++number) {
    Random random(1, Purpose::kTest, 0, number);
    const auto placement = number % 3 == 0   ? draw_area_crop(random, from, window)
                           : number % 3 == 1 ? draw_true_scale(random, from, window)
                                             : centred_window(from, window);

    const auto image = place(map.unsqueeze(0), placement, window)[0].to(at::kInt);
    const auto mask = place_nearest(map, placement, window).to(at::kInt);

    // Edges are blurred over two or three pixels; a shift by one more pixel would be detected too.
    const auto same = (image - mask).abs().le(1).to(at::kFloat).mean().item<double>();
    EXPECT_GT(same, 0.8) << number;
    const auto inner = (image - mask).narrow(0, 1, 78).narrow(1, 1, 78);
    EXPECT_LT(inner.to(at::kFloat).mean().abs().item<double>(), 1.5) << number;
  }
}

TEST(PlacementTest, APixelWisePlacementMovesBothByTheSamePixels) {
  const auto map = counting(6, 7);
  for (const int64_t top : {-2, 0, 3}) {
    for (const int64_t left : {-1, 0, 4}) {
      const Placement placement = {.part = {.height = 6, .width = 7},
                                   .scaled = {.height = 6, .width = 7},
                                   .top = top,
                                   .left = left};

      const auto image = place(map.unsqueeze(0), placement, {.height = 5, .width = 5})[0];
      const auto mask = place_nearest(map, placement, {.height = 5, .width = 5});

      EXPECT_TRUE(at::equal(image, mask));
      EXPECT_EQ(mask[0][0].item<int>(), top < 0 || left < 0 ? 0 : top * 7 + left + 1);
    }
  }
}

TEST(PlacementTest, TrueScaleDrawsFactorsFromHalfToDoubleAndCentresWhatIsTooSmall) {
  double smallest = 10;
  double largest = 0;
  for (uint32_t number = 0; number < 400; ++number) {
    Random random(1, Purpose::kTest, 0, number);

    const auto placed =
        draw_true_scale(random, {.height = 375, .width = 500}, {.height = 513, .width = 513});

    const double factor = static_cast<double>(placed.scaled.height) / 375;
    smallest = std::min(smallest, factor);
    largest = std::max(largest, factor);
    EXPECT_NEAR(static_cast<double>(placed.scaled.width) / 500, factor, 0.005);
    if (placed.scaled.height <= 513) {
      EXPECT_EQ(placed.top, (placed.scaled.height - 513) / 2);
    } else {
      EXPECT_GE(placed.top, 0);
      EXPECT_LE(placed.top + 513, placed.scaled.height);
    }
  }
  EXPECT_LT(smallest, 0.52);
  EXPECT_GT(largest, 1.97);
}

// The values of specification 2.4, for an image of 500 x 375.
TEST(PlacementTest, AreaCropHasTheStatisticsOfTheReference) {
  constexpr int kDraws = 20000;
  int first = 0;
  int fall_back = 0;
  double area = 0;
  for (uint32_t number = 0; number < kDraws; ++number) {
    Random random(1, Purpose::kTest, 0, number);
    Random single(1, Purpose::kTest, 0, number);

    const auto box =
        draw_area_crop(random, {.height = 375, .width = 500}, {.height = 512, .width = 512}).part;

    const double part = single.uniform(0.5, 2) * 375 * 500;
    const double ratio = std::exp(single.uniform(std::log(0.75), std::log(4.0 / 3)));
    const bool fits =
        std::lround(std::sqrt(part * ratio)) <= 500 && std::lround(std::sqrt(part / ratio)) <= 375;
    first += fits ? 1 : 0;
    fall_back += box.height == 375 && box.width == 500 ? 1 : 0;
    area += static_cast<double>(box.height * box.width) / (375 * 500);
  }
  EXPECT_NEAR(first / double{kDraws}, 0.18, 0.01);
  EXPECT_NEAR(fall_back / double{kDraws}, 0.15, 0.01);
  EXPECT_NEAR(area / kDraws, 0.71, 0.01);
}

}  // namespace
}  // namespace lethe
