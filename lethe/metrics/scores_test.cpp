#include "lethe/metrics/scores.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lethe {
namespace {

DatasetInfo info(int64_t classes, Problem problem = Problem::kImages) {
  DatasetInfo result;
  result.name = "toy";
  result.problem = problem;
  for (int64_t i = 0; i < classes; ++i) result.class_names.push_back("c" + std::to_string(i));
  return result;
}

// TV-12 of the specification: three tasks, each with a forgotten class (30 samples) and a kept
// class (70 samples).
StreamOptions three_tasks() {
  StreamOptions options;
  options.task_sizes = {2, 2, 2};
  options.forget_fraction = 0.5;
  return options;
}

EvaluationRow row(int64_t task, const std::vector<std::pair<double, double>>& accuracy,
                  bool task_end = true) {
  EvaluationRow result{
      .task = task, .epoch = 0, .task_end = task_end, .classes = std::vector<ClassCount>(6)};
  for (size_t p = 0; p < accuracy.size(); ++p) {
    result.classes[2 * p] = {static_cast<int64_t>(std::lround(accuracy[p].first * 30)), 30, 0};
    result.classes[2 * p + 1] = {static_cast<int64_t>(std::lround(accuracy[p].second * 70)), 70, 0};
  }
  return result;
}

class ScoresTest : public testing::Test {
 protected:
  // 0.85 of 30 and 0.75 of 70 are not integers, so counts are in thousandths of a sample.
  static EvaluationRow exact(int64_t task, const std::vector<std::pair<double, double>>& accuracy,
                             bool end = true) {
    auto result = row(task, accuracy, end);
    for (size_t p = 0; p < accuracy.size(); ++p) {
      result.classes[2 * p] = {static_cast<int64_t>(std::lround(accuracy[p].first * 30000)), 30000,
                               0};
      result.classes[2 * p + 1] = {static_cast<int64_t>(std::lround(accuracy[p].second * 70000)),
                                   70000, 0};
    }
    return result;
  }
  ScoreTable table(const MetricOptions& options = {}) const {
    ScoreTable made(plan_, options);
    made.add(exact(1, {{0.90, 0.80}}));
    made.add(exact(2, {{0.40, 0.75}, {0.85, 0.90}}));
    made.add(exact(3, {{0.20, 0.70}, {0.35, 0.80}, {0.80, 0.95}}));
    return made;
  }
  TaskPlan plan_{three_tasks(), info(6)};
};

TEST_F(ScoresTest, TV12DefaultsGiveTheValuesOfTheSpecification) {
  const auto scores = table();

  const auto second = scores.scores_after(2);
  EXPECT_NEAR(second.a, 0.825, 1e-12);
  EXPECT_NEAR(second.f, 0.5, 1e-12);
  EXPECT_NEAR(second.s, 0.622642, 1e-6);
  const auto third = scores.scores_after(3);
  EXPECT_NEAR(third.a, 0.816667, 1e-6);
  EXPECT_NEAR(third.f, 0.6, 1e-12);
  EXPECT_NEAR(third.s, 0.691765, 1e-6);
}

TEST_F(ScoresTest, TV12MeansOverTasksGiveTheValuesOfTheSpecification) {
  const auto mean = table().mean_scores();

  EXPECT_NEAR(mean.s, 0.657203, 1e-6);
  EXPECT_NEAR(mean.a, 0.820833, 1e-6);
  EXPECT_NEAR(mean.f, 0.55, 1e-12);
  EXPECT_NEAR(harmonic_mean(mean.a, mean.f), 0.658663, 1e-6);
}

TEST_F(ScoresTest, TV12WithoutTheCurrentTaskGivesTheValueOfTheSpecification) {
  EXPECT_NEAR(table({.a_current = CurrentTask::kExclude}).scores_after(3).a, 0.75, 1e-12);
}

TEST_F(ScoresTest, EqualCountsMakeWeightedMeansEqualTaskMeans) {
  const auto plain = table().scores_after(3);

  const auto weighted =
      table({.a_average = Average::kSampleWeighted, .f_average = Average::kSampleWeighted})
          .scores_after(3);
  const auto classes = table({.a_average = Average::kClassMean}).scores_after(3);

  EXPECT_NEAR(weighted.a, plain.a, 1e-12);
  EXPECT_NEAR(weighted.f, plain.f, 1e-12);
  EXPECT_NEAR(classes.a, plain.a, 1e-12);
}

TEST_F(ScoresTest, WithUnequalCountsTheAveragesDiffer) {
  auto scores = table();
  auto last = scores.rows().back();
  last.classes[1].total *= 4;  // task 1, kept: 0.70 of 70 becomes 0.175 of 280
  ScoreTable weighted(plan_, {.a_average = Average::kSampleWeighted});
  ScoreTable plain(plan_, {});
  weighted.add(last);
  plain.add(last);

  EXPECT_NEAR(weighted.scores_after(3).a, (49 + 56 + 66.5) / (280 + 70 + 70), 1e-12);
  EXPECT_NEAR(plain.scores_after(3).a, (0.175 + 0.8 + 0.95) / 3, 1e-12);
}

TEST_F(ScoresTest, AOverAllClassesIsAveragedLikeA) {
  ScoreTable table(plan_, {});
  auto last = exact(1, {{0.90, 0.80}});
  table.add(last);
  EXPECT_FALSE(table.scores_after(1).a_all);
  last.task = 2;
  last.classes[2] = last.classes[3] = {900, 1000, 0};
  for (auto& count : last.classes) count.correct_all = count.correct / 2;

  table.add(last);

  const auto scores = table.scores_after(2);
  ASSERT_TRUE(scores.a_all);
  EXPECT_NEAR(scores.a, (0.8 + 0.9) / 2, 1e-12);
  EXPECT_NEAR(*scores.a_all, scores.a / 2, 1e-12);
}

TEST_F(ScoresTest, ALuckyEpochRaisesFOnlyIfEveryEpochCounts) {
  const auto f_with = [&](BestAccuracy f_max) {
    ScoreTable scores(plan_, {.f_max = f_max});
    scores.add(exact(1, {{0.95, 0.80}}, /*end=*/false));
    scores.add(exact(1, {{0.90, 0.80}}));
    scores.add(exact(2, {{0.40, 0.75}, {0.85, 0.90}}));
    return scores.scores_after(2).f;
  };

  EXPECT_NEAR(f_with(BestAccuracy::kTaskEnd), 0.50, 1e-12);
  EXPECT_NEAR(f_with(BestAccuracy::kEveryEpoch), 0.55, 1e-12);
}

TEST_F(ScoresTest, BeforeAnyRequestIsExecutedFAndSAreZero) {
  const auto first = table().scores_after(1);

  EXPECT_NEAR(first.a, 0.8, 1e-12);
  EXPECT_EQ(first.f, 0);
  EXPECT_EQ(first.s, 0);
  EXPECT_FALSE(first.has_f);
}

TEST_F(ScoresTest, ARisingForgottenAccuracyGivesFZeroNotNegative) {
  ScoreTable scores(plan_, {});
  scores.add(exact(1, {{0.30, 0.80}}));
  scores.add(exact(2, {{0.60, 0.75}, {0.85, 0.90}}));

  EXPECT_EQ(scores.scores_after(2).f, 0);
}

// TV-12 of the specification: confusion matrix rows [90,5,5], [10,30,0], [8,2,10], background
// first.
TEST(SegmentationScoresTest, TV12RecallIouAndPooledPixelsGiveTheValuesOfTheSpecification) {
  StreamOptions options;
  options.task_sizes = {2};
  const TaskPlan plan(options, info(3, Problem::kMasks));
  const EvaluationRow counts{.task = 1,
                             .epoch = 0,
                             .task_end = true,
                             .classes = {{90, 100, 108}, {30, 40, 37}, {10, 20, 15}}};
  const auto a = [&](const MetricOptions& metric) {
    ScoreTable scores(plan, metric);
    scores.add(counts);
    return scores.scores_after(1).a;
  };

  EXPECT_NEAR(a({.seg_value = SegValue::kRecall}), 0.625, 1e-12);
  EXPECT_NEAR(a({.seg_value = SegValue::kPooledPixel}), 0.666667, 1e-6);
  EXPECT_NEAR(a({.seg_value = SegValue::kIou}), 0.519149, 1e-6);
  EXPECT_NEAR(a({.seg_value = SegValue::kIou, .include_background = true}), 0.600337, 1e-6);
  EXPECT_NEAR(a({.seg_value = SegValue::kRecall, .include_background = true}),
              (0.9 + 0.75 + 0.5) / 3, 1e-12);
}

TEST(RequestScoresTest, ARequestOnlyEventMovesItsClassesIntoF) {
  StreamOptions options;
  options.task_sizes = {2, 2};
  options.requests = {{.classes = {"c2"}, .before_task = 3}};
  const TaskPlan plan(options, info(4));
  ScoreTable scores(plan, {});
  scores.add({.task = 1, .classes = {{8, 10, 0}, {8, 10, 0}, {}, {}}});
  scores.add({.task = 2, .classes = {{7, 10, 0}, {7, 10, 0}, {9, 10, 0}, {6, 10, 0}}});
  scores.add({.task = 3, .classes = {{7, 10, 0}, {7, 10, 0}, {1, 10, 0}, {6, 10, 0}}});

  EXPECT_FALSE(scores.scores_after(2).has_f);
  EXPECT_NEAR(scores.scores_after(3).f, 0.8, 1e-12);
  EXPECT_NEAR(scores.scores_after(3).a, (0.7 + 0.6) / 2, 1e-12);
}

}  // namespace
}  // namespace lethe
