#include "lethe/data/transform.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lethe/core/class_set.h"
#include "lethe/core/error.h"
#include "lethe/data/crop.h"
#include "lethe/data/resample.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

// Standard deviation 1/255 and mean 0: the normalised value is the pixel itself.
DatasetInfo plain_info(int64_t height, int64_t width, int64_t channels = 1) {
  const auto count = static_cast<size_t>(channels);
  return {.name = "plain",
          .class_names = {"a"},
          .channels = channels,
          .height = height,
          .width = width,
          .mean = std::vector<double>(count, 0.0),
          .std = std::vector<double>(count, 1.0 / 255)};
}

DatasetInfo mask_info(int64_t height, int64_t width) {
  auto info = plain_info(height, width);
  info.problem = Problem::kMasks;
  return info;
}

// Pixels 1, 2, 3, ..., so that 0 is always padding.
Sample counting_sample(int64_t height, int64_t width, int64_t channels = 1) {
  const int64_t count = channels * height * width;
  return {.image = at::arange(1, count + 1, at::kByte).reshape({channels, height, width}),
          .label = 0,
          .mask = at::arange(1, height * width + 1, at::kByte).reshape({height, width})};
}

struct Result {
  std::vector<int64_t> image;
  std::vector<int64_t> mask;
};

Result run(const Transform& transform, const Sample& sample, uint32_t number) {
  const auto channels = static_cast<size_t>(sample.image.size(0));
  const auto pixels = static_cast<size_t>(sample.mask.numel());
  Random random(1, Purpose::kTest, 0, number);
  std::vector<float> image(channels * pixels);
  Result result;
  result.mask.resize(pixels);
  transform.apply(sample, &random, image.data(), result.mask.data());
  for (const float value : image) result.image.push_back(std::lround(value));
  return result;
}

// The pixel at (y, x) of a counting_sample, or 0 outside.
int64_t pixel_at(int64_t y, int64_t x, int64_t height, int64_t width) {
  return y < 0 || y >= height || x < 0 || x >= width ? 0 : y * width + x + 1;
}

TEST(TransformTest, EvaluationOnlyNormalisesEachChannel) {
  auto info = plain_info(1, 2, 2);
  info.mean = {0.5, 0.25};
  info.std = {0.5, 0.25};
  const Sample sample = {.image = at::tensor({0, 255, 51, 204}, at::kByte).reshape({2, 1, 2})};
  std::vector<float> out(4);

  const Transform transform(info);
  transform.apply(sample, nullptr, out.data());

  EXPECT_FALSE(transform.is_random());
  EXPECT_FLOAT_EQ(out[0], -1);
  EXPECT_FLOAT_EQ(out[1], 1);
  EXPECT_NEAR(out[2], (0.2 - 0.25) / 0.25, 1e-6);
  EXPECT_NEAR(out[3], (0.8 - 0.25) / 0.25, 1e-6);
}

TEST(TransformTest, EvaluationLeavesTheMaskAsItIs) {
  const auto result = run(Transform(mask_info(2, 2)), counting_sample(2, 2), 0);

  EXPECT_EQ(result.image, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(result.mask, (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(TransformTest, CropShiftsByExactlyWhatIsDrawn) {
  const Transform transform(plain_info(4, 5), {.pad = 2});
  for (uint32_t number = 0; number < 40; ++number) {
    Random random(1, Purpose::kTest, 0, number);
    const int64_t top = random.below(5) - 2;
    const int64_t left = random.below(5) - 2;
    std::vector<int64_t> expected;
    for (int64_t y = 0; y < 4; ++y) {
      for (int64_t x = 0; x < 5; ++x) expected.push_back(pixel_at(y + top, x + left, 4, 5));
    }

    EXPECT_EQ(run(transform, counting_sample(4, 5), number).image, expected);
  }
}

TEST(TransformTest, FlipMirrorsLeftAndRightAboutEverySecondTime) {
  const Transform transform(plain_info(2, 3), {.flip = true});
  int mirrored = 0;
  for (uint32_t number = 0; number < 200; ++number) {
    const bool drawn = Random(1, Purpose::kTest, 0, number).chance(0.5);
    const auto expected =
        drawn ? std::vector<int64_t>{3, 2, 1, 6, 5, 4} : std::vector<int64_t>{1, 2, 3, 4, 5, 6};

    EXPECT_EQ(run(transform, counting_sample(2, 3), number).image, expected);
    mirrored += drawn ? 1 : 0;
  }
  EXPECT_GT(mirrored, 70);
  EXPECT_LT(mirrored, 130);
}

// Golden values from PIL 9.4, which torchvision calls:
//   list(Image.frombytes("L", (5, 5), bytes(range(1, 26))).rotate(angle, Image.NEAREST).getdata())
TEST(TransformTest, RotationEqualsTheOneOfPil) {
  struct Case {
    uint32_t number;
    double angle;  // the angle that this number draws
    std::vector<int64_t> expected;
  };
  const std::vector<Case> cases = {
      {0, -142.64450901187956, {0, 23, 22, 16, 0, 24, 18, 17, 12, 11, 20, 19, 13,
                                7, 6,  15, 14, 9, 8,  2,  0,  10, 4,  3,  0}},
      {1, -47.24657854065299, {0, 6, 7,  2,  0,  16, 12, 7, 8,  4,  17, 17, 13,
                               9, 9, 22, 18, 19, 14, 10, 0, 24, 19, 20, 0}},
      {5, 69.74243251606822, {0,  5,  10, 15, 0,  3,  9,  14, 19, 25, 2,  8, 13,
                              18, 24, 1,  7,  12, 17, 23, 0,  11, 16, 21, 0}},
      // Close enough to 90 degrees counter-clockwise to give the same pixels.
      {6, 102.46467833407223, {5,  10, 15, 20, 25, 4,  9,  14, 19, 24, 3,  8, 13,
                               18, 23, 2,  7,  12, 17, 22, 1,  6,  11, 16, 21}},
  };
  const Transform transform(plain_info(5, 5), {.rotation = 180});

  for (const auto& [number, angle, expected] : cases) {
    ASSERT_NEAR(Random(1, Purpose::kTest, 0, number).uniform(-180, 180), angle, 1e-9);
    EXPECT_EQ(run(transform, counting_sample(5, 5), number).image, expected);
  }
}

TEST(TransformTest, AllStepsEqualOneAfterTheOther) {
  constexpr int64_t kHeight = 6;
  constexpr int64_t kWidth = 7;
  const Transform all(plain_info(kHeight, kWidth), {.pad = 1, .flip = true, .rotation = 30});
  for (uint32_t number = 0; number < 50; ++number) {
    Random random(1, Purpose::kTest, 0, number);
    const int64_t top = random.below(3) - 1;
    const int64_t left = random.below(3) - 1;
    const bool flip = random.chance(0.5);
    const double angle = random.uniform(-30, 30) * 3.14159265358979323846 / 180;
    std::vector<int64_t> cropped;
    for (int64_t y = 0; y < kHeight; ++y) {
      for (int64_t x = 0; x < kWidth; ++x) {
        cropped.push_back(pixel_at(y + top, x + left, kHeight, kWidth));
      }
    }
    auto flipped = cropped;
    for (auto row = flipped.begin(); flip && row != flipped.end(); row += kWidth) {
      std::reverse(row, row + kWidth);
    }
    std::vector<int64_t> rotated;
    for (int64_t y = 0; y < kHeight; ++y) {
      for (int64_t x = 0; x < kWidth; ++x) {
        const double dy = static_cast<double>(y) - 2.5;
        const double dx = static_cast<double>(x) - 3;
        const auto from_y = std::lround(std::sin(angle) * dx + std::cos(angle) * dy + 2.5);
        const auto from_x = std::lround(std::cos(angle) * dx - std::sin(angle) * dy + 3);
        const int64_t place = pixel_at(from_y, from_x, kHeight, kWidth) - 1;
        rotated.push_back(place < 0 ? 0 : flipped[static_cast<size_t>(place)]);
      }
    }

    EXPECT_EQ(run(all, counting_sample(kHeight, kWidth), number).image, rotated);
  }
}

TEST(TransformTest, FillIsBlackBeforeNormalisation) {
  auto info = plain_info(3, 3);
  info.mean = {0.5};
  info.std = {0.5};
  const Transform transform(info, {.pad = 3});
  auto sample = counting_sample(3, 3);
  sample.image.fill_(255);
  std::vector<float> out(9);
  Random random(1, Purpose::kTest);

  transform.apply(sample, &random, out.data());

  EXPECT_FLOAT_EQ(*std::min_element(out.begin(), out.end()), -1);
  EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](float v) { return v == 1 || v == -1; }));
}

TEST(TransformTest, TheMaskFollowsTheImageAndIsVoidAtTheFill) {
  const Transform transform(mask_info(8, 8), {.pad = 2, .flip = true, .rotation = 45});
  int64_t filled = 0;
  for (uint32_t number = 0; number < 30; ++number) {
    const auto result = run(transform, counting_sample(8, 8), number);
    for (size_t i = 0; i < result.mask.size(); ++i) {
      const bool fill = result.image[i] == 0;
      EXPECT_EQ(result.mask[i], fill ? kVoid : result.image[i]);
      filled += fill ? 1 : 0;
    }
  }
  EXPECT_GT(filled, 0);
}

TEST(TransformTest, EveryChannelHasTheSameGeometry) {
  const Transform transform(plain_info(4, 4, 3), {.pad = 1, .flip = true, .rotation = 20});

  const auto image = run(transform, counting_sample(4, 4, 3), 5).image;

  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(image[16 + i], image[i] == 0 ? 0 : image[i] + 16);
    EXPECT_EQ(image[32 + i], image[i] == 0 ? 0 : image[i] + 32);
  }
}

TEST(TransformTest, TheSameDrawsGiveTheSameBits) {
  const Transform transform(plain_info(8, 8), {.pad = 2, .flip = true, .rotation = 15});
  const auto sample = counting_sample(8, 8);

  EXPECT_EQ(run(transform, sample, 3).image, run(transform, sample, 3).image);
  EXPECT_NE(run(transform, sample, 3).image, run(transform, sample, 4).image);
}

TEST(TransformTest, RefusesASampleOfOtherChannelsOrTypeOrAMaskOfAnotherSize) {
  const Transform transform(plain_info(4, 4));
  std::vector<float> out(16);
  std::vector<int64_t> mask(16);
  const auto refusal = [&](const Sample& sample) {
    return message_of<Error>([&] { transform.apply(sample, nullptr, out.data(), mask.data()); });
  };

  EXPECT_EQ(refusal({.image = at::zeros({3, 4, 4}, at::kByte)}),
            "sample.image: expected [1, -1, -1], got [3, 4, 4]");
  EXPECT_EQ(refusal({.image = at::zeros({1, 4, 4}, at::kFloat)}),
            "sample.image: expected contiguous uint8");
  EXPECT_EQ(
      refusal({.image = at::zeros({1, 4, 4}, at::kByte), .mask = at::zeros({4, 5}, at::kByte)}),
      "sample.mask: expected [4, 4], got [4, 5]");
}

TEST(TransformTest, AnImageOfAnotherSizeIsScaledWithoutRegardToItsProportions) {
  Sample sample = counting_sample(6, 9);
  std::vector<float> out(16);

  Transform(plain_info(4, 4)).apply(sample, nullptr, out.data());

  const auto expected = resample(sample.image, 4, 4);
  for (int64_t i = 0; i < 16; ++i) {
    EXPECT_EQ(std::lround(out[static_cast<size_t>(i)]), expected.reshape({-1})[i].item<int>());
  }
}

TEST(TransformTest, TheResizedCropShowsTheBoxThatIsDrawnThenMirrors) {
  const Transform transform(plain_info(4, 5), {.crop = Crop::kResized, .flip = true});
  const Sample sample = {.image = counting_sample(12, 15).image};
  int mirrored = 0;
  for (uint32_t number = 0; number < 20; ++number) {
    Random random(1, Purpose::kTest, 0, number);
    const Box box = draw_resized_crop(random, 12, 15);
    auto expected = at::empty({1, 4, 5}, at::kByte);
    resample(sample.image, box, 4, 5, expected.data_ptr<uint8_t>());
    const bool flip = random.chance(0.5);
    if (flip) expected = expected.flip(2);
    mirrored += flip ? 1 : 0;
    Random same(1, Purpose::kTest, 0, number);
    auto out = at::empty({1, 4, 5});

    transform.apply(sample, &same, out.data_ptr<float>());

    EXPECT_TRUE(at::equal(out.round().to(at::kByte), expected));
  }
  EXPECT_GT(mirrored, 0);
  EXPECT_TRUE(transform.is_random());
}

TEST(TransformTest, RefusesOptionsOutOfRange) {
  auto info = plain_info(4, 4);
  info.mean = {0, 0};
  EXPECT_EQ(message_of<ConfigError>([&] { Transform{info}; }),
            "plain: expected mean and standard deviation of 1 channels, found 2 and 1 values");
  info = plain_info(4, 4);
  info.std = {0};
  EXPECT_THROW(Transform{info}, ConfigError);
  EXPECT_THROW(Transform(plain_info(4, 4), {.pad = -1}), ConfigError);
  EXPECT_EQ(message_of<ConfigError>(
                [&] { Transform(plain_info(4, 4), {.crop = Crop::kResized, .pad = 2}); }),
            "aug.pad = 2: needs aug.crop = \"pad\"");
  EXPECT_THROW(Transform(plain_info(4, 4), {.rotation = 181}), ConfigError);
}

TEST(TransformTest, ARandomTransformNeedsAGenerator) {
  std::vector<float> out(16);

  EXPECT_THROW(
      Transform(plain_info(4, 4), {.pad = 1}).apply(counting_sample(4, 4), nullptr, out.data()),
      Error);
}

// The image equals the mask: bilinear and nearest neighbour agree where the mask is constant.
TEST(TransformTest, MasksOfAnySizeFollowTheImageThroughEveryCrop) {
  auto mask = at::zeros({40, 60}, at::kByte);
  mask.narrow(0, 5, 30).narrow(1, 10, 20).fill_(90);
  mask.narrow(0, 20, 20).narrow(1, 30, 30).fill_(200);
  const Sample sample = {.image = mask.unsqueeze(0), .mask = mask, .saliency = mask};
  for (const auto crop : {Crop::kPad, Crop::kArea, Crop::kScale}) {
    const Transform transform(mask_info(32, 32), {.crop = crop, .flip = true});
    for (uint32_t number = 0; number < 20; ++number) {
      Random random(1, Purpose::kTest, 0, number);
      auto image = at::empty({32, 32});
      auto labels = at::empty({32, 32}, at::kLong);
      auto saliency = at::empty({32, 32}, at::kByte);

      transform.apply(sample, &random, image.data_ptr<float>(), labels.data_ptr<int64_t>(),
                      saliency.data_ptr<uint8_t>());

      const auto near = (image.round() - labels).abs().le(1).to(at::kFloat).mean().item<double>();
      EXPECT_GT(near, 0.75);
      EXPECT_TRUE(at::equal(labels, saliency.to(at::kLong)));
    }
  }
}

TEST(TransformTest, BesideAShrunkImageTheMaskIsBackground) {
  const Sample sample = {.image = at::full({1, 8, 8}, 200, at::kByte),
                         .mask = at::full({8, 8}, 3, at::kByte)};
  const Transform transform(mask_info(32, 32), {.crop = Crop::kScale});
  Random random(1, Purpose::kTest);
  auto image = at::empty({32, 32});
  auto labels = at::empty({32, 32}, at::kLong);

  transform.apply(sample, &random, image.data_ptr<float>(), labels.data_ptr<int64_t>());

  EXPECT_EQ(labels[0][0].item<int>(), 0);
  EXPECT_EQ(labels[16][16].item<int>(), 3);
  EXPECT_TRUE(at::equal(labels.eq(0), image.round().eq(0)));
  EXPECT_FALSE(labels.eq(kVoid).any().item<bool>());
}

TEST(TransformTest, CropsOfMasksAndOfImagesAreNotExchanged) {
  EXPECT_THROW(Transform(plain_info(4, 4), {.crop = Crop::kArea}), ConfigError);
  EXPECT_THROW(Transform(mask_info(4, 4), {.crop = Crop::kResized}), ConfigError);
}

}  // namespace
}  // namespace lethe
