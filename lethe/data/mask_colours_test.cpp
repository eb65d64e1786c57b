#include "lethe/data/mask_colours.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace lethe {
namespace {

TEST(MaskColoursTest, AreThoseOfPascalVoc) {
  EXPECT_EQ(mask_colour(0), (Rgb{0, 0, 0}));
  EXPECT_EQ(mask_colour(1), (Rgb{128, 0, 0}));
  EXPECT_EQ(mask_colour(2), (Rgb{0, 128, 0}));
  EXPECT_EQ(mask_colour(8), (Rgb{64, 0, 0}));
  EXPECT_EQ(mask_colour(15), (Rgb{192, 128, 128}));
  EXPECT_EQ(mask_colour(20), (Rgb{0, 64, 128}));
  EXPECT_EQ(mask_colour(255), (Rgb{224, 224, 192}));
}

TEST(MaskColoursTest, AnOverlayMixesColoursAndLeavesBackgroundAlone) {
  const auto image = at::full({3, 1, 2}, 100, at::kByte);
  const auto labels = at::tensor({0, 1}, at::kLong).reshape({1, 2});

  const auto result = overlay_labels(image, labels, 0.5);

  EXPECT_EQ(result.scalar_type(), at::kByte);
  EXPECT_TRUE(at::equal(result.select(2, 0).flatten(), at::full({3}, 100, at::kByte)));
  EXPECT_TRUE(at::equal(result.select(2, 1).flatten(), at::tensor({114, 50, 50}, at::kByte)));
}

}  // namespace
}  // namespace lethe
