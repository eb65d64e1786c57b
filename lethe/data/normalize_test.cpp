#include "lethe/data/normalize.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"

namespace lethe {
namespace {

DatasetPtr block(int64_t channels) {
  DatasetInfo info;
  info.name = "block";
  info.class_names = {"a", "b"};
  info.channels = channels;
  info.height = info.width = 2;
  info.mean.assign(static_cast<size_t>(channels), 0.5);
  info.std.assign(static_cast<size_t>(channels), 0.25);
  return std::make_shared<ImageBlock>(info, at::full({2, channels, 2, 2}, 51, at::kByte),
                                      std::vector<int64_t>{1, 0}, "test");
}

TEST(NormalizeTest, OnlyTheConstantsChange) {
  const auto train = block(3);

  const auto splits = with_imagenet_constants({.train = train, .val = nullptr, .test = block(3)});

  EXPECT_EQ(splits.val, nullptr);
  ASSERT_EQ(splits.train->size(), 2);
  EXPECT_EQ(splits.train->info().mean, (std::vector<double>{0.485, 0.456, 0.406}));
  EXPECT_EQ(splits.test->info().std, (std::vector<double>{0.229, 0.224, 0.225}));
  EXPECT_EQ(splits.train->info().class_names, train->info().class_names);
  EXPECT_EQ(splits.train->get(0).label, 1);
  EXPECT_EQ(splits.train->labels_of(1), std::vector<int64_t>{0});
  EXPECT_TRUE(at::equal(splits.train->get(0).image, train->get(0).image));
}

TEST(NormalizeTest, GreyImagesAreAConfigError) {
  try {
    with_imagenet_constants({.train = block(1), .val = nullptr, .test = block(1)});
    FAIL() << "was accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "data.normalize = \"imagenet\": needs three channels, block has 1; use \"own\"");
  }
}

}  // namespace
}  // namespace lethe
