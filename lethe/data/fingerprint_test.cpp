#include "lethe/data/fingerprint.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace lethe {
namespace {

DatasetPtr block(uint8_t pixel, std::vector<int64_t> labels) {
  DatasetInfo info;
  info.name = "toy";
  info.class_names = {"a", "b"};
  info.channels = 1;
  info.height = info.width = 2;
  const auto count = static_cast<int64_t>(labels.size());
  return std::make_shared<ImageBlock>(info, at::full({count, 1, 2, 2}, pixel, at::kByte),
                                      std::move(labels), "toy");
}

TEST(FingerprintTest, PixelsLabelsAndTheirNumberMakeADifference) {
  const auto print = fingerprint(*block(1, {0, 1}));

  EXPECT_EQ(print, fingerprint(*block(1, {0, 1})));
  EXPECT_NE(print, fingerprint(*block(2, {0, 1})));
  EXPECT_NE(print, fingerprint(*block(1, {1, 0})));
  EXPECT_NE(print, fingerprint(*block(1, {0, 1, 1})));
}

}  // namespace
}  // namespace lethe
