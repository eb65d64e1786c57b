#include "lethe/metrics/verdict.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

// Classes a, b | c | d, e; 'a' and 'c' are forgotten before task 3.
class VerdictTest : public testing::Test {
 protected:
  static DatasetInfo info() {
    DatasetInfo made;
    made.name = "letters";
    made.class_names = {"a", "b", "c", "d", "e"};
    return made;
  }
  static StreamOptions stream() {
    StreamOptions options;
    options.task_sizes = {2, 1, 2};
    options.requests = {{.classes = {"a", "c"}, .before_task = 3}};
    return options;
  }
  // Correct predictions out of 100 per class, with the task given and over all classes.
  static EvaluationRow row(int64_t task, const std::vector<std::pair<int64_t, int64_t>>& hits) {
    EvaluationRow made{.task = task, .classes = std::vector<ClassCount>(5)};
    for (size_t i = 0; i < hits.size(); ++i)
      made.classes[i] = {
          .correct = hits[i].first, .total = 100, .predicted = 0, .correct_all = hits[i].second};
    return made;
  }
  Verdict verdict_of_a(int64_t before, int64_t after) const {
    const auto was = row(2, {{before, before}, {90, 80}, {100, 70}});
    const auto is = row(3, {{after, 0}, {90, 80}, {100, 10}, {90, 80}, {90, 80}});
    return judge(0, &was, &is, plan_, {}).verdict;
  }

  TaskPlan plan_{stream(), info()};
};

TEST_F(VerdictTest, AClassAtChanceIsForgottenAndAboveItIsNot) {
  EXPECT_EQ(verdict_of_a(90, 52), Verdict::kForgotten);  // chance 50 % among two classes
  EXPECT_EQ(verdict_of_a(90, 53), Verdict::kNotForgotten);
  EXPECT_EQ(verdict_of_a(90, 0), Verdict::kForgotten);
}

TEST_F(VerdictTest, WithoutADropThereIsNoEffectAndAClassAtChanceBeforeWasNeverLearned) {
  EXPECT_EQ(verdict_of_a(90, 90), Verdict::kNoEffect);
  EXPECT_EQ(verdict_of_a(90, 95), Verdict::kNoEffect);
  EXPECT_EQ(verdict_of_a(55, 10), Verdict::kNeverLearned);
  EXPECT_EQ(verdict_of_a(50, 55), Verdict::kNeverLearned);
  EXPECT_EQ(verdict_of_a(0, 100), Verdict::kNoEffect);  // the request taught the class
  EXPECT_EQ(verdict_of_a(56, 10), Verdict::kForgotten);
}

// `lethe forget --exact`: no class of the first task can be answered. With the task given, the
// first of them always would be.
TEST_F(VerdictTest, IfAModelWasTrainedWithoutAWholeTaskItsClassesAreMeasuredOverAllClasses) {
  auto options = stream();
  options.requests.clear();
  options.later = {{.classes = {"a", "b"}, .exact = true}};
  const TaskPlan plan(options, info());
  const auto was = row(3, {{90, 80}, {90, 80}, {100, 70}, {90, 80}, {90, 80}});
  const auto is = row(4, {{100, 0}, {0, 0}, {100, 70}, {90, 80}, {90, 80}});

  for (const ClassId id : {0, 1}) {
    const auto judged = judge(id, &was, &is, plan, {});
    EXPECT_EQ(judged.verdict, Verdict::kForgotten) << id;
    EXPECT_TRUE(judged.over_all) << id;
  }
}

TEST_F(VerdictTest, AClassAloneInItsTaskIsMeasuredOverAllClasses) {
  const auto was = row(2, {{90, 80}, {90, 80}, {100, 70}});
  const auto is = row(3, {{10, 0}, {90, 80}, {100, 22}, {90, 80}, {90, 80}});

  const auto judged = judge(2, &was, &is, plan_, {});

  EXPECT_TRUE(judged.over_all);
  EXPECT_DOUBLE_EQ(judged.before, 0.7);
  EXPECT_DOUBLE_EQ(judged.after, 0.22);
  EXPECT_DOUBLE_EQ(judged.chance, 1.0 / 5);  // of the five classes seen by then
  EXPECT_EQ(judged.verdict, Verdict::kForgotten);
}

TEST_F(VerdictTest, ChanceAfterTheEventDecidesWhetherAClassIsForgotten) {
  const auto was = row(2, {{90, 80}, {90, 80}, {100, 70}});
  const auto is = row(3, {{10, 0}, {90, 80}, {100, 33}, {90, 80}, {90, 80}});

  // 33 % was chance among the three classes seen before; with two more classes it is not.
  EXPECT_EQ(judge(2, &was, &is, plan_, {}).verdict, Verdict::kNotForgotten);
}

TEST_F(VerdictTest, WithoutTestImagesOrEvaluationNothingIsMeasured) {
  auto was = row(2, {{90, 80}, {90, 80}, {100, 70}});
  const auto is = row(3, {{10, 0}, {90, 80}, {100, 10}, {90, 80}, {90, 80}});

  EXPECT_EQ(judge(0, nullptr, &is, plan_, {}).verdict, Verdict::kNotMeasured);
  was.classes[0].total = 0;
  EXPECT_EQ(judge(0, &was, &is, plan_, {}).verdict, Verdict::kNotMeasured);
  EXPECT_STREQ(name_of(Verdict::kNotMeasured), "not measured");
}

TEST_F(VerdictTest, AFallByItselfIsNoEffectUnlessItReachesChance) {
  const auto was = row(2, {{90, 90}, {90, 80}, {100, 70}});
  const auto verdict = [&](int64_t now) {
    const auto is = row(3, {{now, 0}, {90, 80}, {100, 10}, {90, 80}, {90, 80}});
    return judge(0, &was, &is, plan_, {}, Acted::kNo).verdict;
  };

  EXPECT_EQ(verdict(80), Verdict::kNoEffect);
  EXPECT_EQ(verdict(50), Verdict::kForgotten);
}

// One class, then two, in the scenario in which the task is not known.
class ClassScenarioVerdictTest : public testing::Test {
 protected:
  static StreamOptions stream() {
    StreamOptions options;
    options.scenario = Scenario::kClass;
    options.task_sizes = {1, 2};
    options.requests = {{.classes = {"a"}, .before_task = 3}};
    return options;
  }
  static DatasetInfo info() {
    DatasetInfo made;
    made.class_names = {"a", "b", "c"};
    return made;
  }
  static EvaluationRow row(int64_t task, const std::vector<int64_t>& all) {
    EvaluationRow made{.task = task, .classes = std::vector<ClassCount>(3)};
    for (size_t i = 0; i < all.size(); ++i)
      made.classes[i] = {.correct = 100, .total = 100, .predicted = 0, .correct_all = all[i]};
    return made;
  }

  TaskPlan plan_{stream(), info()};
};

TEST_F(ClassScenarioVerdictTest, TheOnlyClassSeenIsNeitherLearnedNorNot) {
  const auto first = row(1, {100});
  const auto second = row(2, {10, 90, 90});

  EXPECT_TRUE(not_learned(plan_.task(1), first, plan_, {}).empty());
  EXPECT_FALSE(level_of(plan_.task(1), first, plan_, {}).at_chance);
  EXPECT_EQ(judge(0, &first, &second, plan_, {}).verdict, Verdict::kNotMeasured);
}

TEST_F(ClassScenarioVerdictTest, AccuracyIsMeasuredOverAllClassesSeen) {
  const auto before = row(2, {90, 90, 90});
  const auto after = row(3, {0, 40, 90});

  const auto judged = judge(0, &before, &after, plan_, {});
  const auto falls = kept_falls(plan_.task(3), before, after, plan_, {});

  EXPECT_EQ(judged.verdict, Verdict::kForgotten);
  EXPECT_STREQ(measure_text(judged.over_all, Problem::kImages), "over all classes seen");
  ASSERT_EQ(falls.size(), 1u);
  EXPECT_EQ(falls.front().id, 1);
}

TEST_F(VerdictTest, ClassesThatWereNotLearnedAreFound) {
  const auto after = row(3, {{90, 80}, {90, 80}, {100, 10}, {55, 50}, {56, 50}});

  const auto missed = not_learned(plan_.task(3), after, plan_, {});

  ASSERT_EQ(missed.size(), 1u);
  EXPECT_EQ(missed.front().id, 3);
  EXPECT_EQ(missed.front().verdict, Verdict::kNeverLearned);
}

TEST_F(VerdictTest, KeptClassesThatLoseMoreThanTheLimitAreFound) {
  const auto was = row(2, {{90, 80}, {90, 80}, {100, 70}});
  const auto falls = [&](int64_t now) {
    const auto is = row(3, {{0, 0}, {now, 0}, {100, 0}, {90, 80}, {90, 80}});
    return kept_falls(plan_.task(3), was, is, plan_, {});
  };

  EXPECT_TRUE(falls(80).empty());
  ASSERT_EQ(falls(79).size(), 1u);
  EXPECT_EQ(falls(79).front().id, 1);  // 'a' and 'c' are forgotten, not kept
}

}  // namespace
}  // namespace lethe
