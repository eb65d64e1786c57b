#include "lethe/metrics/evaluate.h"

#include <gtest/gtest.h>

#include "lethe/model/torch.h"
#include "tests/support/fake_segmentation.h"

namespace lethe {
namespace {

// TV-11: unknown 0.2, background 1.0, classes -1.0 and 2.0.
TEST(PredictTest, WhatIsUnknownCountsForBackground) {
  const test::TinySegmenter network(0);
  ModelOutput output;
  output.logits = torch::tensor({1.0F, -1.0F, 2.0F}).view({1, 3, 1, 1});

  EXPECT_EQ(predict(output, {}, network).item<int64_t>(), 2);
  output.unknown = torch::tensor({0.2F}).view({1, 1, 1, 1});
  EXPECT_EQ(predict(output, {}, network).item<int64_t>(), 0);  // 0.731 + 0.550 against 0.881
  output.unknown = torch::tensor({-2.0F}).view({1, 1, 1, 1});
  EXPECT_EQ(predict(output, {}, network).item<int64_t>(), 2);  // 0.731 + 0.119
}

}  // namespace
}  // namespace lethe
