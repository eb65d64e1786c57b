#include "lethe/data/resample.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

constexpr int64_t kHeight = 29;
constexpr int64_t kWidth = 43;

// The images of resample_golden.py.
int64_t noise(int64_t y, int64_t x) {
  return (y * y * 31 + x * x * 17 + y * x * 7 + (y ^ x) * 53) % 256;
}
int64_t waves(int64_t y, int64_t x) { return std::min<int64_t>(255, (y * 9) % 97 + (x * 5) % 160); }

using Pixel = int64_t (*)(int64_t y, int64_t x);

at::Tensor draw(Pixel pixel) {
  auto image = at::empty({1, kHeight, kWidth}, at::kByte);
  auto* out = image.data_ptr<uint8_t>();
  for (int64_t y = 0; y < kHeight; ++y) {
    for (int64_t x = 0; x < kWidth; ++x) *out++ = static_cast<uint8_t>(pixel(y, x));
  }
  return image;
}

struct Golden {
  Pixel pixel;
  Box box;
  int64_t height;
  int64_t width;
  std::vector<int> expected;
};

const std::vector<Golden>& golden() {
  static const std::vector<Golden> values = {
#include "lethe/data/resample_golden.inc"
  };
  return values;
}

TEST(ResampleTest, AgreesWithPillowWithinOneGreyLevel) {
  int64_t differing = 0;
  for (const auto& [pixel, box, height, width, expected] : golden()) {
    std::vector<uint8_t> out(static_cast<size_t>(height * width));
    ASSERT_EQ(out.size(), expected.size());

    resample(draw(pixel), box, height, width, out.data());

    for (size_t i = 0; i < out.size(); ++i) {
      EXPECT_LE(std::abs(out[i] - expected[i]), 1)
          << "box of " << box.height << " x " << box.width << " to " << height << " x " << width
          << ", pixel " << i;
      differing += out[i] == expected[i] ? 0 : 1;
    }
  }
  EXPECT_LT(differing, 20);  // of 7,802: both nearly always round to the same value
}

TEST(ResampleTest, PlanesAreScaledEachOnItsOwn) {
  const auto image = at::cat({draw(noise), draw(waves)});

  const auto both = resample(image, 11, 13);

  EXPECT_TRUE(at::equal(both[0], resample(draw(noise), 11, 13)[0]));
  EXPECT_TRUE(at::equal(both[1], resample(draw(waves), 11, 13)[0]));
}

TEST(ResampleTest, TheSameSizeKeepsEveryPixel) {
  std::vector<uint8_t> out(static_cast<size_t>(kHeight * kWidth));

  resample(draw(noise), {.height = kHeight, .width = kWidth}, kHeight, kWidth, out.data());

  EXPECT_TRUE(
      at::equal(at::tensor(at::ArrayRef<uint8_t>(out), at::kByte), draw(noise).reshape({-1})));
}

TEST(ResampleTest, TheShortSideGetsItsLengthAndTheLongOneItsShareRoundedDown) {
  EXPECT_EQ(resample_short_side(draw(noise), 10).sizes(), (std::vector<int64_t>{1, 10, 14}));
  const auto upright = draw(noise).transpose(1, 2).contiguous();
  EXPECT_EQ(resample_short_side(upright, 10).sizes(), (std::vector<int64_t>{1, 14, 10}));
}

TEST(ResampleTest, ABoxThatLeavesTheImageIsRefused) {
  std::vector<uint8_t> out(4);
  EXPECT_EQ(message_of<Error>([&] {
              resample(draw(noise), {.top = 20, .left = 0, .height = 10, .width = 5}, 2, 2,
                       out.data());
            }),
            "box of 10 x 5 at (20, 0): not within an image of [1, 29, 43]");
  EXPECT_THROW(resample(draw(noise), 0, 2), Error);
}

}  // namespace
}  // namespace lethe
