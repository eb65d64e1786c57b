#include "lethe/metrics/evaluate.h"

#include <gtest/gtest.h>

#include "lethe/model/torch.h"
#include "tests/support/fake_network.h"

namespace lethe {
namespace {

// TV-11 of the specification: unknown 0.2, background 1.0, classes -1.0 and 2.0.
TEST(PredictTest, UnknownCountsAsBackground) {
  ModelOutput output;
  output.logits = torch::tensor({1.0F, -1.0F, 2.0F}).view({1, 3, 1, 1});

  EXPECT_EQ(predict(output).item<int64_t>(), 2);
  output.unknown = torch::tensor({0.2F}).view({1, 1, 1, 1});
  EXPECT_EQ(predict(output).item<int64_t>(), 0);  // 0.731 + 0.550 against 0.881
  output.unknown = torch::tensor({-2.0F}).view({1, 1, 1, 1});
  EXPECT_EQ(predict(output).item<int64_t>(), 2);  // 0.731 + 0.119
}

// Two heads of two classes. The first sample is class 1, which has the highest score of its head;
// class 2 of the other head has a higher score.
TEST(PredictTest, WithTheTaskGivenOnlyItsHeadIsUsed) {
  test::LinearNetwork network(1);
  network.add_classes(2, 0);
  network.add_classes(2, 0);
  ModelOutput output;
  output.logits = torch::tensor({{0.1F, 0.5F, 0.9F, 0.0F}, {0.1F, 0.5F, 0.2F, 0.3F}});
  const auto labels = torch::tensor({1, 2}, torch::kLong);

  EXPECT_TRUE(torch::equal(predict(output), torch::tensor({2, 1}, torch::kLong)));
  EXPECT_TRUE(
      torch::equal(predict_in_task(output, labels, network), torch::tensor({1, 3}, torch::kLong)));
}

}  // namespace
}  // namespace lethe
