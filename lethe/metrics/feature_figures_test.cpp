#include "lethe/metrics/feature_figures.h"

#include <gtest/gtest.h>

#include "lethe/model/torch.h"
#include "lethe/trainer/fake_segmentation.h"

namespace lethe {
namespace {

TEST(ProbeTest, FindsWhatALineSeparatesAndNothingInNoise) {
  at::manual_seed(3);
  const auto positive = (at::arange(2000) % 10) == 0;
  const auto noise = at::randn({2000, 5});
  const auto shifted = noise + 6 * positive.to(at::kFloat).unsqueeze(1) * at::ones({5}) / 2;
  const auto other = at::randn({2000, 5});
  const auto other_shifted = other + 6 * positive.to(at::kFloat).unsqueeze(1) * at::ones({5}) / 2;
  EXPECT_GT(probe_accuracy(shifted, positive, other_shifted, positive), 0.97);
  EXPECT_NEAR(probe_accuracy(noise, positive, other, positive), 0.5, 0.08);
  EXPECT_EQ(probe_accuracy(noise, at::zeros_like(positive), other, positive), 0.5);
}

TEST(FeatureFiguresTest, AnUnchangedNetworkHasNotMoved) {
  const auto data = std::make_shared<test::SquareSet>(24, 3);
  const TaskPlan plan(test::squares_stream(), data->info());
  test::TinySegmenter before(1);
  before.add_classes(2, 1);
  test::TinySegmenter after(1);
  after.add_classes(2, 1);

  const auto same =
      feature_figures(before, after, plan.task(2).forgotten, data, data, plan, plan.task(2), {});

  ASSERT_EQ(same.classes.size(), 1u);  // square 1
  EXPECT_NEAR(same.mean().distance, 1, 1e-6);
  EXPECT_EQ(same.mean().probe, same.mean().probe_before);
  EXPECT_GT(same.mean().probe, 0.9);  // a brightness of its own

  {
    const at::NoGradGuard no_grad;
    for (auto& parameter : after.parameters()) parameter.mul_(3);
  }
  EXPECT_GT(
      feature_figures(before, after, plan.task(2).forgotten, data, data, plan, plan.task(2), {})
          .mean()
          .distance,
      2);
}

}  // namespace
}  // namespace lethe
