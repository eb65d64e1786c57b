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
  const std::vector<BeforeRequest> requests = {{plan.task(2).forgotten, before, 1}};

  const auto same = feature_figures(requests, after, data, data, plan, plan.task(2), {});

  ASSERT_EQ(same.forgotten.size(), 1u);  // square 1
  EXPECT_NEAR(mean_of(same.forgotten).distance, 1, 1e-6);
  EXPECT_EQ(mean_of(same.forgotten).probe, mean_of(same.forgotten).probe_before);
  EXPECT_GT(mean_of(same.forgotten).probe, 0.9);  // it has a distinct brightness
  ASSERT_EQ(same.kept.size(), 1u);  // square 2: background and the new classes do not count
  EXPECT_EQ(mean_of(same.kept).probe, mean_of(same.kept).probe_before);
  ASSERT_TRUE(mean_of(same.forgotten).shots.has_value());
  EXPECT_EQ(mean_of(same.forgotten).shots, mean_of(same.forgotten).shots_before);

  {
    const at::NoGradGuard no_grad;
    for (auto& parameter : after.parameters()) parameter.mul_(3);
  }
  const auto moved = feature_figures(requests, after, data, data, plan, plan.task(2), {});
  EXPECT_GT(mean_of(moved.forgotten).distance, 2);
}

TEST(FeatureFiguresTest, SomePositionsOfLargeMapsAreEnough) {
  const auto data = std::make_shared<test::SquareSet>(24, 3);
  const TaskPlan plan(test::squares_stream(), data->info());
  const auto network = std::make_shared<test::TinySegmenter>(1);
  network->add_classes(2, 1);
  const auto figures = [&](int64_t positions) {
    return mean_of(feature_figures({{plan.task(2).forgotten, network, 1}}, *network, data, data,
                                   plan, plan.task(2), {.positions = positions})
                       .forgotten);
  };

  EXPECT_GT(figures(90).probe, 0.9);
  EXPECT_NEAR(figures(90).distance, 1, 1e-6);
  EXPECT_NE(figures(90).probe, figures(1 << 20).probe);
}

}  // namespace
}  // namespace lethe
