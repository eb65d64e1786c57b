#include "lethe/stream/task_plan.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"

namespace lethe {
namespace {

DatasetInfo letters(Problem problem = Problem::kImages) {
  DatasetInfo info;
  info.name = "letters";
  info.problem = problem;
  if (problem == Problem::kMasks) info.class_names.emplace_back("background");
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) info.class_names.emplace_back(name);
  return info;
}

StreamOptions sizes(std::vector<int64_t> values) {
  StreamOptions options;
  options.task_sizes = std::move(values);
  return options;
}

std::string message_of(const StreamOptions& options) {
  try {
    TaskPlan(options, letters());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TaskPlanTest, SizesTakeClassesInOrderAndMayLeaveSomeOut) {
  const TaskPlan plan(sizes({2, 3}), letters());

  EXPECT_EQ(plan.num_classes(), 5);
  EXPECT_EQ(plan.task(1).new_classes, (ClassSet{0, 1}));
  EXPECT_EQ(plan.task(2).new_classes, (ClassSet{2, 3, 4}));
  EXPECT_EQ(plan.task(2).kept, (ClassSet{0, 1}));
  EXPECT_TRUE(plan.task(2).forgotten.empty());
}

TEST(TaskPlanTest, NamesGiveTheStreamItsOwnOrder) {
  StreamOptions options;
  options.task_names = {{"f", "B"}, {"a"}};

  const TaskPlan plan(options, letters());

  EXPECT_EQ(plan.class_name(0), "f");
  EXPECT_EQ(plan.class_name(1), "b");  // case is ignored if the match is unique
  EXPECT_EQ(plan.class_name(2), "a");
  EXPECT_EQ(plan.task_of(2), 2);
  EXPECT_EQ(plan.train_labels(plan.task(1))[5], 0);  // label 5 is 'f'
}

TEST(TaskPlanTest, AnOrderAppliesToSizes) {
  auto options = sizes({1, 1});
  options.order = {"d", "c"};

  const TaskPlan plan(options, letters());

  EXPECT_EQ(plan.names(plan.task(1).new_classes), "d");
  EXPECT_EQ(plan.names(plan.task(2).new_classes), "c");
}

TEST(TaskPlanTest, LongListsOfNamesAreShortenedForMessages) {
  auto info = letters();
  info.class_names.emplace_back("g");
  const TaskPlan plan(StreamOptions{}, info);

  EXPECT_EQ(plan.short_names(plan.task(1).new_classes), "7 classes: a, b, c, ... (4 more)");
  EXPECT_EQ(plan.names(plan.task(1).new_classes), "a, b, c, d, e, f, g");
  EXPECT_EQ(plan.short_names({2, 4}), "c, e");
}

TEST(TaskPlanTest, ATaskWithoutTrainingImagesIsNamed) {
  auto info = letters();
  info.channels = info.height = info.width = 1;
  info.mean = info.std = {0.5};
  const ImageBlock only_a_and_c(info, at::zeros({2, 1, 1, 1}, at::kByte), {0, 2}, "letters");

  EXPECT_NO_THROW(TaskPlan(sizes({2, 1}), info).require_images(only_a_and_c));
  try {
    TaskPlan(sizes({1, 1, 1}), info).require_images(only_a_and_c);
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "task 2: no training image contains b");
  }
}

TEST(TaskPlanTest, WithoutTasksAllClassesAreOneTask) {
  const TaskPlan plan(StreamOptions{}, letters());

  EXPECT_EQ(plan.tasks().size(), 1u);
  EXPECT_EQ(plan.task(1).new_classes.size(), 6);
}

TEST(TaskPlanTest, ARequestMovesItsClassesFromKeptToForgottenAndStaysInForce) {
  auto options = sizes({2, 2, 2});
  options.requests = {{.classes = {"b"}, .before_task = 2}};

  const TaskPlan plan(options, letters());

  EXPECT_EQ(plan.task(2).requested, (ClassSet{1}));
  EXPECT_EQ(plan.task(2).kept, (ClassSet{0}));
  EXPECT_EQ(plan.task(3).forgotten, (ClassSet{1}));
  EXPECT_TRUE(plan.task(3).requested.empty());
  EXPECT_EQ(plan.listed(), (ClassSet{1}));
}

TEST(TaskPlanTest, ARequestAfterTheLastTaskIsAStepWithoutImages) {
  auto options = sizes({2, 2});
  options.requests = {{.classes = {"c"}, .before_task = 3}};

  const TaskPlan plan(options, letters());

  ASSERT_EQ(plan.tasks().size(), 3u);
  EXPECT_FALSE(plan.task(3).has_images());
  EXPECT_EQ(plan.task(3).requested, (ClassSet{2}));
  EXPECT_EQ(plan.task(3).kept, (ClassSet{0, 1, 3}));
  EXPECT_EQ(plan.last_learning_task(), 2);
}

TEST(TaskPlanTest, TheFractionRoundsUpOrDownAndMakesNoStepOfItsOwn) {
  auto options = sizes({3, 3});
  options.forget_fraction = 0.3;

  const TaskPlan up(options, letters());
  options.forget_round = ForgetRound::kFloor;
  const TaskPlan down(options, letters());

  EXPECT_EQ(up.task(2).forgotten, (ClassSet{0}));
  EXPECT_EQ(up.listed(), (ClassSet{0, 3}));  // 3 is in the last task: listed, not forgotten
  EXPECT_EQ(up.tasks().size(), 2u);
  EXPECT_TRUE(down.listed().empty());
}

TEST(TaskPlanTest, AnExactFractionIsNotRoundedUpByItsLastBit) {
  DatasetInfo info;
  info.name = "many";
  for (int i = 0; i < 100; ++i) info.class_names.push_back(std::to_string(i));
  auto options = sizes({20, 20, 20, 20, 20});
  options.forget_fraction = 0.3;  // 0.3 * 20 is a little more than 6 in binary

  options.forget_scope = ForgetScope::kAllButLast;
  const TaskPlan plan(options, info);

  // specification 2.1: CIFAR 5x20 forgets 0-5, 20-25, 40-45, 60-65.
  EXPECT_EQ(plan.listed(), ClassSet::range(0, 6) | ClassSet::range(20, 6) | ClassSet::range(40, 6) |
                               ClassSet::range(60, 6));
}

TEST(TaskPlanTest, CarsForget15Of49RoundedUpAnd14RoundedDown) {
  DatasetInfo info;
  info.name = "cars";
  for (int i = 0; i < 196; ++i) info.class_names.push_back(std::to_string(i));
  auto options = sizes({49, 49, 49, 49});
  options.forget_fraction = 0.3;

  EXPECT_EQ(TaskPlan(options, info).task(2).forgotten.size(), 15);
  options.forget_round = ForgetRound::kFloor;
  EXPECT_EQ(TaskPlan(options, info).task(2).forgotten.size(), 14);
}

// The forgotten classes of specification 2.1: number of tasks, classes per task, forgotten classes
// per task, and whether the last task is included.
TEST(TaskPlanTest, TheListsOfThePaperComeOut) {
  struct Case {
    const char* name;
    int64_t tasks;
    int64_t classes;
    ForgetRound round;
    ForgetScope scope;
    int64_t forgotten;
  };
  for (const auto& [name, tasks, classes, round, scope, forgotten] : {
           Case{"CIFAR 5 x 20", 5, 20, ForgetRound::kCeil, ForgetScope::kAllButLast, 6},
           Case{"CIFAR 2 x 50", 2, 50, ForgetRound::kCeil, ForgetScope::kAllButLast, 15},
           Case{"CIFAR 10 x 10", 10, 10, ForgetRound::kCeil, ForgetScope::kAll, 3},
           Case{"CUB 5 x 40", 5, 40, ForgetRound::kCeil, ForgetScope::kAll, 12},
           Case{"Cars 4 x 49, as the paper says", 4, 49, ForgetRound::kCeil, ForgetScope::kAll, 15},
           Case{"Cars 4 x 49, as released", 4, 49, ForgetRound::kFloor, ForgetScope::kAll, 14},
       }) {
    DatasetInfo info;
    info.name = name;
    for (int64_t i = 0; i < tasks * classes; ++i) info.class_names.push_back(std::to_string(i));
    auto options = sizes(std::vector<int64_t>(static_cast<size_t>(tasks), classes));
    options.forget_fraction = 0.3;
    options.forget_round = round;
    options.forget_scope = scope;
    ClassSet expected;
    const bool with_last = options.forget_scope == ForgetScope::kAll;
    for (int64_t task = 0; task < tasks - (with_last ? 0 : 1); ++task) {
      expected = expected | ClassSet::range(task * classes, forgotten);
    }

    EXPECT_EQ(TaskPlan(options, info).listed(), expected) << name;
  }
}

// forget_fraction also selects classes of the last task, but never adds an event.
TEST(TaskPlanTest, AnEventCarriesTheRequestsThatItExecutes) {
  auto options = sizes({2, 2});
  options.forget_fraction = 0.5;
  options.forget_scope = ForgetScope::kAll;
  options.requests = {{.classes = {"b"}, .before_task = 3}};
  const TaskPlan plan(options, letters());

  ASSERT_EQ(plan.tasks().size(), 3u);
  EXPECT_TRUE(plan.task(1).requests.empty());
  ASSERT_EQ(plan.task(2).requests.size(), 1u);
  EXPECT_TRUE(plan.task(2).requests.front().by_fraction);
  ASSERT_EQ(plan.task(3).requests.size(), 1u);
  EXPECT_EQ(plan.task(3).requests.front().classes, (ClassSet{1}));
}

TEST(TaskPlanTest, FractionAndRequestsAddUp) {
  auto options = sizes({3, 3});
  options.forget_fraction = 0.3;
  options.requests = {{.classes = {"c"}, .before_task = 2}};

  EXPECT_EQ(TaskPlan(options, letters()).task(2).forgotten, (ClassSet{0, 2}));
}

TEST(TaskPlanTest, BadPlansAreClearErrors) {
  auto options = sizes({2, 2});
  options.requests = {{.classes = {"x"}, .before_task = 2}};
  EXPECT_EQ(message_of(options).substr(0, 27), "requests: unknown class 'x'");

  options.requests = {{.classes = {"c"}, .before_task = 2}};
  EXPECT_EQ(message_of(options),
            "requests: 'c' is learned in task 2, it cannot be forgotten before task 2");

  options.requests = {{.classes = {"a"}, .before_task = 4}};
  EXPECT_EQ(message_of(options), "requests: before_task = 4: must be in [2, 3]");

  options.requests = {{.classes = {"a", "b", "c", "d"}, .before_task = 3}};
  EXPECT_EQ(message_of(options), "requests: no class would be left to keep before task 3");

  options.requests = {{.classes = {"a"}, .before_task = 2},
                      {.classes = {"b", "a"}, .before_task = 3}};
  EXPECT_EQ(message_of(options), "requests: 'a' would be forgotten twice, again before task 3");

  StreamOptions twice;
  twice.task_names = {{"a", "b"}, {"b"}};
  EXPECT_EQ(message_of(twice), "stream: class 'b' is listed twice (tasks 1 and 2)");

  EXPECT_EQ(message_of(sizes({4, 4})),
            "stream.tasks: the tasks have 8 classes, but letters has only 6");
}

TEST(TaskPlanTest, AllOldClassesMayGoWhenNewOnesArrive) {
  auto options = sizes({2, 2});
  options.requests = {{.classes = {"a", "b"}, .before_task = 2}};

  const TaskPlan plan(options, letters());

  EXPECT_TRUE(plan.task(2).kept.empty());
  EXPECT_EQ(plan.task(2).new_classes.size(), 2);
}

TEST(TaskPlanTest, AClassThatIsNotInTheStreamCannotBeRequested) {
  auto options = sizes({2, 2});  // 'e' and 'f' are in no task
  options.requests = {{.classes = {"f"}, .before_task = 2}};

  EXPECT_EQ(message_of(options), "requests: 'f' is not learned in any task of the stream");
}

TEST(TaskPlanTest, TheConfigurationReadsAndWritesTasksAndRequests) {
  StreamOptions options;
  ConfigText::from_string(
      "[stream]\ntasks = [[\"a\", \"b\"], [\"c\"]]\n[[requests]]\nclasses = "
      "[\"T-shirt/top\"]\nbefore_task = 2\n",
      "x")
      .apply(config_fields(options));
  StreamOptions copy;
  ConfigText::from_string(to_toml(config_fields(options)), "y").apply(config_fields(copy));

  EXPECT_EQ(copy.task_names, (std::vector<std::vector<std::string>>{{"a", "b"}, {"c"}}));
  ASSERT_EQ(copy.requests.size(), 1u);
  EXPECT_EQ(copy.requests[0].classes, std::vector<std::string>{"T-shirt/top"});
  EXPECT_EQ(copy.requests[0].before_task, 2);
}

TEST(TaskPlanTest, AMisspeltKeyOfARequestIsAnError) {
  StreamOptions options;
  const auto text =
      ConfigText::from_string("[[requests]]\nclases = [\"a\"]\nbefore_task = 2\n", "x.toml");

  try {
    text.apply(config_fields(options));
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("unknown key 'clases'; did you mean 'classes'?"),
              std::string::npos)
        << error.what();
  }
}

// The VOC stream 15-5: 20 classes in the dataset's order.
class VocPlanTest : public testing::Test {
 protected:
  static DatasetInfo info() {
    DatasetInfo voc;
    voc.name = "voc";
    voc.problem = Problem::kMasks;
    for (int i = 0; i <= 20; ++i) voc.class_names.push_back("c" + std::to_string(i));
    return voc;
  }
  static StreamOptions options() {
    auto result = sizes({15, 5});
    result.forget_fraction = 0.3;
    return result;
  }
  static std::vector<int64_t> map(const LabelMap& labels, const std::vector<size_t>& from) {
    std::vector<int64_t> to;
    for (const size_t label : from) to.push_back(labels.at(label));
    return to;
  }
  TaskPlan plan_{options(), info()};
};

TEST_F(VocPlanTest, BackgroundIsNoClassToLearnOrToForget) {
  auto stream = options();
  stream.requests = {{.classes = {"C0"}, .before_task = 2}};
  try {
    const TaskPlan plan(stream, info());
    FAIL() << "background was accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "requests: 'C0' belongs to every task; it is neither learned nor forgotten");
  }
}

TEST_F(VocPlanTest, TV13TrainingLabelsKeepNewClassesAndVoid) {
  EXPECT_EQ(map(plan_.train_labels(plan_.task(2)), {0, 3, 16, 20, 15, 255}),
            (std::vector<int64_t>{0, 0, 16, 20, 0, 255}));
}

TEST_F(VocPlanTest, TV13VoidIsBackgroundInTrainingIfTheDataSetSaysSo) {
  auto voc = info();
  voc.mask_rules.void_is_background = true;
  const TaskPlan plan(options(), voc);

  EXPECT_EQ(map(plan.train_labels(plan.task(2)), {0, 3, 16, 20, 15, 255}),
            (std::vector<int64_t>{0, 0, 16, 20, 0, 0}));
  EXPECT_EQ(map(plan.eval_labels(plan.task(2)), {255}), (std::vector<int64_t>{255}));
}

TEST_F(VocPlanTest, SequentialTrainingKeepsTheLabelsOfOldClassesThatAreNotForgotten) {
  auto voc = info();
  voc.mask_rules.setup = SegSetup::kSequential;
  const TaskPlan forgets(options(), voc);  // classes 1 to 5, before task 2
  const TaskPlan keeps(sizes({15, 5}), voc);
  const std::vector<size_t> labels = {0, 3, 16, 20, 15, 255};

  EXPECT_EQ(map(keeps.train_labels(keeps.task(2)), labels),
            (std::vector<int64_t>{0, 3, 16, 20, 15, 255}));
  EXPECT_EQ(map(forgets.train_labels(forgets.task(2)), labels),
            (std::vector<int64_t>{0, 0, 16, 20, 15, 255}));
  EXPECT_EQ(map(keeps.train_labels(keeps.task(1)), labels),
            (std::vector<int64_t>{0, 3, 0, 0, 15, 255}));
}

TEST_F(VocPlanTest, LabelsFollowTheOrderOfTheStream) {
  const TaskPlan plan({.task_names = {{"c20", "c3"}, {"c1"}}}, info());

  EXPECT_EQ(map(plan.train_labels(plan.task(1)), {0, 20, 3, 1, 7}),
            (std::vector<int64_t>{0, 1, 2, 0, 0}));
  EXPECT_EQ(map(plan.eval_labels(plan.task(2)), {0, 20, 3, 1, 7}),
            (std::vector<int64_t>{0, 1, 2, 3, 255}));
}

TEST_F(VocPlanTest, TV13EvaluationLabelsKeepWhatWasSeen) {
  EXPECT_EQ(map(plan_.eval_labels(plan_.task(1)), {0, 3, 16, 255}),
            (std::vector<int64_t>{0, 3, 255, 255}));
  EXPECT_EQ(map(plan_.eval_labels(plan_.task(2)), {0, 3, 16, 255}),
            (std::vector<int64_t>{0, 3, 16, 255}));
}

TEST_F(VocPlanTest, TheFractionAppliesToTheFirstTaskOnlyAndBackgroundIsAlwaysKept) {
  EXPECT_EQ(plan_.listed(), ClassSet::range(1, 5));
  EXPECT_TRUE(plan_.task(1).kept.contains(0));
  EXPECT_TRUE(plan_.task(2).kept.contains(0));
  EXPECT_FALSE(plan_.task(2).forgotten.contains(0));
}

TEST(TaskPlanTest, AbsentClassesKeepTheirIdsAndOutputsAndTheirTasksVanish) {
  auto options = sizes({2, 1, 2, 1});
  options.absent = {1, 2, 5};

  const TaskPlan plan(options, letters());

  ASSERT_EQ(plan.tasks().size(), 2u);
  EXPECT_EQ(plan.last_learning_task(), 2);
  EXPECT_EQ(plan.num_classes(), 6);
  EXPECT_EQ(plan.task(1).new_classes, (ClassSet{0}));
  EXPECT_EQ(plan.task(1).absent, (ClassSet{1}));
  EXPECT_EQ(plan.task(1).new_heads(), (std::vector<int64_t>{2}));
  const auto& second = plan.task(2);
  EXPECT_EQ(second.number, 2);
  EXPECT_EQ(second.new_classes, (ClassSet{3, 4}));
  EXPECT_EQ(second.kept, (ClassSet{0}));
  EXPECT_EQ(second.absent, (ClassSet{2}));
  EXPECT_EQ(second.new_heads(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(plan.task_of(2), 2);
  EXPECT_EQ(plan.task_of(4), 2);
  EXPECT_EQ(plan.task_of(5), 2);  // its outputs are missing: no task is left behind it
  EXPECT_EQ(second.without({1}).erased, (ClassSet{1, 2}));
  options.absent = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(message_of(options), "stream: no class would be left to learn");
}

TEST(TaskPlanTest, ATaskWithoutAbsentClassesHasOneHead) {
  const TaskPlan plan(sizes({2, 1}), letters());

  EXPECT_EQ(plan.task(1).new_heads(), (std::vector<int64_t>{2}));
  EXPECT_TRUE(plan.task(1).heads.empty());
}

}  // namespace
}  // namespace lethe
