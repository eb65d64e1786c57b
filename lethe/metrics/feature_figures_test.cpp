#include "lethe/metrics/feature_figures.h"

#include <gtest/gtest.h>

#include "lethe/model/torch.h"
#include "tests/support/fake_segmentation.h"

namespace lethe {
namespace {

TEST(FeatureFiguresTest, AnUnchangedNetworkHasNotMoved) {
  const auto data = std::make_shared<test::SquareSet>(24, 3);
  const TaskPlan plan(test::squares_stream(), data->info());
  const auto before = std::make_shared<test::TinySegmenter>(1);
  before->add_classes(2, 1);
  test::TinySegmenter after(1);
  after.add_classes(2, 1);
  const std::vector<BeforeRequest> requests = {{plan.task(2).forgotten, before}};

  const auto same = feature_figures(requests, after, data, data, plan, plan.task(2), {});

  ASSERT_EQ(same.classes.size(), 1u);  // square 1
  EXPECT_NEAR(same.mean().distance, 1, 1e-6);
  EXPECT_EQ(same.mean().probe, same.mean().probe_before);
  EXPECT_GT(same.mean().probe, 0.9);  // it has a distinct brightness

  {
    const at::NoGradGuard no_grad;
    for (auto& parameter : after.parameters()) parameter.mul_(3);
  }
  EXPECT_GT(feature_figures(requests, after, data, data, plan, plan.task(2), {}).mean().distance,
            2);
}

TEST(FeatureFiguresTest, SomePositionsOfLargeMapsAreEnough) {
  const auto data = std::make_shared<test::SquareSet>(24, 3);
  const TaskPlan plan(test::squares_stream(), data->info());
  const auto network = std::make_shared<test::TinySegmenter>(1);
  network->add_classes(2, 1);
  const auto figures = [&](int64_t positions) {
    return feature_figures({{plan.task(2).forgotten, network}}, *network, data, data, plan,
                           plan.task(2), {.positions = positions})
        .mean();
  };

  EXPECT_GT(figures(90).probe, 0.9);
  EXPECT_NEAR(figures(90).distance, 1, 1e-6);
  EXPECT_NE(figures(90).probe, figures(1 << 20).probe);
}

}  // namespace
}  // namespace lethe
