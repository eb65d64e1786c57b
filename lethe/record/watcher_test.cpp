#include "lethe/record/watcher.h"

#include <gtest/gtest.h>

#include "tests/support/data_files.h"

namespace lethe {
namespace {

class WatcherTest : public testing::Test {
 protected:
  static DatasetInfo info() {
    DatasetInfo made;
    made.name = "letters";
    made.class_names = {"a", "b", "c", "d", "e"};
    return made;
  }
  static StreamOptions stream() {
    StreamOptions options;
    options.task_sizes = {4, 1};
    options.requests = {{.classes = {"a"}, .before_task = 2}};
    return options;
  }
  void evaluate(int64_t task, const std::vector<int64_t>& hits) {
    EvaluationRow row{.task = task, .classes = std::vector<ClassCount>(5)};
    for (size_t i = 0; i < hits.size(); ++i)
      row.classes[i] = {
          .correct = hits[i], .total = 100, .predicted = 0, .correct_all = hits[i] / 2};
    table_.add(row);
  }
  // The warnings of the watcher about the evaluation at the end of a task.
  std::string said_of(int64_t task) {
    return warnings_of([&] {
      watcher_.on(Evaluated{.position = {.task = task}, .moment = Moment::kEnd, .evaluation = {}});
    });
  }
  std::string said_of_losses(const std::vector<double>& losses) {
    return warnings_of([&] {
      watcher_.on(TaskStarted{.task = plan_.task(1)});
      for (const double loss : losses) watcher_.on(StepDone{.position = {}, .loss = loss});
    });
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TaskPlan plan_{stream(), info()};
  ScoreTable table_{plan_, {}};
  Watcher watcher_{plan_, table_, {}};
};

TEST_F(WatcherTest, AClassThatWasNotLearnedGivesAWarning) {
  evaluate(1, {90, 0, 90, 90});

  const auto said = said_of(1);

  EXPECT_TRUE(
      has(said,
          "1 of the 4 classes of task 1 was not learned (accuracy with the task given, chance "
          "25.0 %): 'b' 0.0 %"))
      << said;
  EXPECT_FALSE(has(said, "'a'"));
}

TEST_F(WatcherTest, ATaskAtChanceLevelGivesOneWarning) {
  evaluate(1, {25, 20, 30, 25});

  const auto said = said_of(1);

  EXPECT_TRUE(
      has(said, "task 1 was not learned: accuracy 25.0 %, chance 25.0 % (with the task given)"))
      << said;
  EXPECT_FALSE(has(said, "'b'"));
}

TEST_F(WatcherTest, ATaskThatPredictsOneClassOnlyIsAtChance) {
  evaluate(1, {100, 0, 0, 0});

  const auto said = said_of(1);

  EXPECT_TRUE(has(said, "task 1 was not learned")) << said;
  EXPECT_FALSE(has(said, "of the 4 classes")) << said;
}

TEST_F(WatcherTest, KeptClassesThatFellGiveOneWarningWithTheWorst) {
  evaluate(1, {90, 90, 90, 90});
  evaluate(2, {0, 70, 50, 90, 100});

  const auto said = said_of(2);

  EXPECT_TRUE(has(said, "2 kept classes fell by more than 10 points in task 2; the worst is 'c'"))
      << said;
}

TEST_F(WatcherTest, ATaskOfOneClassGivesAWarning) {
  const auto said = warnings_of([&] { watcher_.on(TaskStarted{.task = plan_.task(2)}); });

  EXPECT_TRUE(has(said, "task 2 has one class, 'e'")) << said;
}

TEST_F(WatcherTest, ARequestWithoutEffectGivesAWarning) {
  evaluate(1, {90, 90, 90, 90});
  evaluate(2, {92, 90, 90, 90, 100});

  const auto said = warnings_of([&] {
    watcher_.on(TaskDone{.task = plan_.task(2),
                         .requests = {{plan_.requests().front(), RequestEffect::kIgnored}}});
  });

  EXPECT_TRUE(has(said, "does not use the forget set")) << said;
  EXPECT_TRUE(has(said,
                  "request to forget, no effect (accuracy with the task given, chance 25.0 %): 'a' "
                  "90.0 % to 92.0 %"))
      << said;
}

TEST_F(WatcherTest, AFallByItselfIsNoEffectOfARequestThatWasIgnored) {
  evaluate(1, {90, 90, 90, 90});
  evaluate(2, {80, 90, 90, 90, 100});
  const auto said_of_request = [&](RequestEffect effect) {
    return warnings_of([&] {
      watcher_.on(
          TaskDone{.task = plan_.task(2), .requests = {{plan_.requests().front(), effect}}});
    });
  };

  EXPECT_TRUE(has(said_of_request(RequestEffect::kIgnored), "request to forget, no effect"));
  EXPECT_TRUE(has(said_of_request(RequestEffect::kTrained), "request to forget, not forgotten"));
}

TEST_F(WatcherTest, ALossThatExplodesAtOnceOrInALaterTaskGivesAWarning) {
  std::vector<double> at_once(40, 5000.0);
  at_once.front() = 2;
  EXPECT_TRUE(has(said_of_losses(at_once), "from 2 in the first step to"));

  const auto later = said_of_losses(std::vector<double>(40, 640.0));
  EXPECT_TRUE(has(later, "from 2 in the first step of the run to 640")) << later;
  EXPECT_EQ(said_of_losses(std::vector<double>(40, 50.0)), "");
}

TEST_F(WatcherTest, ALossThatGrowsTenfoldGivesOneWarning) {
  std::vector<double> losses(10, 2.0);
  losses.insert(losses.end(), 30, 3.0);
  EXPECT_EQ(said_of_losses(losses), "");
  losses.insert(losses.end(), 30, 500.0);

  const auto said = said_of_losses(losses);

  EXPECT_TRUE(has(said, "the loss grows, from 2 in the first step")) << said;
  EXPECT_EQ(said.find("the loss grows"), said.rfind("the loss grows"));
}

}  // namespace
}  // namespace lethe
