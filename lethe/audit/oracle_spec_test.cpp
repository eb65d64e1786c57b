#include "lethe/audit/oracle_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lethe/core/error.h"
#include "lethe/core/system.h"
#include "lethe/run/add_event.h"
#include "tests/support/scratch.h"
#include "tests/support/tiny_run.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;
using Tasks = std::vector<Names>;

// The tasks in the configuration of an oracle.
Tasks tasks_of(const OracleSpec& spec) {
  RunConfig config;
  configure(config, ConfigText::from_string(spec.config, "oracle"));
  return config.stream.task_names;
}

class OracleSpecTest : public testing::Test {
 protected:
  // "solid circle" is forgotten before the second task; all versions stay.
  static void SetUpTestSuite() {
    set_up_threads(1);
    shared_ = new test::Scratch();
    test::make_tiny_run(shared_->path() / "run", {"method.name=lwf*"});
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  static fs::path run() { return shared_->path() / "run"; }

  static std::vector<OracleSpec> specs(int64_t version, const AuditOptions& options = {},
                                       const fs::path& of = run()) {
    return oracle_specs(of, version, options);
  }
  static std::string key(const fs::path& of, const AuditOptions& options = {}) {
    return specs(2, options, of).front().key;
  }
  fs::path copied() {
    const auto copy = scratch_.path() / "copy";
    fs::copy(run(), copy, fs::copy_options::recursive);
    return copy;
  }

  static test::Scratch* shared_;
  test::Scratch scratch_;
};

test::Scratch* OracleSpecTest::shared_ = nullptr;

const Names kFirst = {"striped square", "checkered triangle", "solid cross"};
const Names kSecond = {"striped circle", "checkered square", "solid triangle", "striped cross"};

TEST_F(OracleSpecTest, ItLeavesOutTheClassesThatTheVersionHasForgotten) {
  const auto second = specs(2).front();
  EXPECT_EQ(tasks_of(second), (Tasks{kFirst, kSecond}));
  EXPECT_EQ(second.event, 2);
  EXPECT_GT(second.expected.seconds, 0);

  auto with_circle = kFirst;
  with_circle.insert(with_circle.begin(), "solid circle");
  const auto first = specs(1).front();
  EXPECT_EQ(tasks_of(first), (Tasks{with_circle, kSecond}));
  EXPECT_EQ(first.event, 1);
  EXPECT_THROW(specs(3), DataError);
}

TEST_F(OracleSpecTest, ItHasNoRequestsAndOtherSeedsThanTheRun) {
  const auto run = scratch_.path() / "seeded";
  test::make_tiny_run(run, {"method.name=finetune", "train.seed=1001"});

  const auto all = specs(2, {}, run);

  ASSERT_EQ(all.size(), 3u);
  std::vector<int64_t> seeds;
  std::set<std::string> keys;
  for (const auto& spec : all) {
    RunConfig config;
    configure(config, ConfigText::from_string(spec.config, "oracle"));
    EXPECT_EQ(config.train.seed, spec.seed);
    EXPECT_TRUE(config.stream.requests.empty());
    EXPECT_EQ(config.method, "finetune");
    seeds.push_back(spec.seed);
    keys.insert(spec.key);
  }
  EXPECT_EQ(seeds, (std::vector<int64_t>{1000, 1002, 1003}));
  EXPECT_EQ(keys.size(), 3u);
}

TEST_F(OracleSpecTest, RequestsByFractionAndByCommandCountAndLearnedTasksFollow) {
  const auto run = scratch_.path() / "fraction";
  test::make_tiny_run(run, {"method.name=finetune", "requests=[]", "stream.forget_fraction=0.25"});
  const auto data = Names{"data.train_per_class=12", "data.test_per_class=4"};
  const auto add = [&](EventKind kind, const Names& classes) {
    EventOptions options;
    options.run = run;
    options.kind = kind;
    options.classes = classes;
    options.data = "shapes";
    options.sets = data;
    if (kind == EventKind::kLearn) options.sets.emplace_back("train.lr_next=0.03");
    options.epochs = 1;
    if (!add_event(options).accepted) {
      EventOptions accept;
      accept.run = run;
      accept.accept = true;
      add_event(accept);
    }
  };
  add(EventKind::kLearn, {"checkered circle", "solid square"});
  add(EventKind::kForget, {"solid cross", "checkered circle"});
  add(EventKind::kLearn, {"solid cross"});

  const auto third = specs(3, {}, run).front();
  EXPECT_EQ(tasks_of(third), (Tasks{kFirst, kSecond}));  // the fraction of the last task is not due
  ASSERT_EQ(third.learned.size(), 1u);
  EXPECT_EQ(third.learned[0].event.classes, (Names{"checkered circle", "solid square"}));
  EXPECT_EQ(third.event, 3);

  const auto fifth = specs(5, {}, run).front();
  EXPECT_EQ(tasks_of(fifth), (Tasks{{"striped square", "checkered triangle"}, kSecond}));
  ASSERT_EQ(fifth.learned.size(), 2u);
  EXPECT_EQ(fifth.learned[0].event.classes, (Names{"solid square"}));
  EXPECT_EQ(fifth.learned[0].sets, (Names{"train.lr_next=0.03"}));
  EXPECT_EQ(fifth.learned[1].event.classes, (Names{"solid cross"}));
  EXPECT_EQ(fifth.event, 4);
}

TEST_F(OracleSpecTest, ATaskWithoutClassesVanishes) {
  const auto run = scratch_.path() / "empty";
  test::make_tiny_run(run, {"method.name=finetune", "stream.tasks=[1, 2, 3]"});

  const auto spec = specs(3, {}, run).front();

  EXPECT_EQ(tasks_of(spec), (Tasks{{"striped square", "checkered triangle"},
                                   {"solid cross", "striped circle", "checkered square"}}));
  EXPECT_EQ(spec.event, 2);
}

TEST_F(OracleSpecTest, TheKeyDependsOnSettingsAndImagesAndNotOnWhatDoesNotAct) {
  const auto own = key(run());
  const auto with = [&](const char* name, const Names& more) {
    const auto out = scratch_.path() / name;
    auto sets = more;
    sets.insert(sets.begin(), "method.name=lwf*");
    test::make_tiny_run(out, sets);
    return key(out);
  };

  EXPECT_EQ(key(copied()), own);
  EXPECT_EQ(with("other verdict", {"forget.margin=0.5", "run.keep_versions=1", "train.seed=7",
                                   "data.test_per_class=5"}),
            own);
  EXPECT_NE(with("rate", {"train.lr=0.02"}), own);
  EXPECT_NE(with("images", {"data.train_per_class=11"}), own);
  EXPECT_NE(with("method", {"method.lwf.lambda=2"}), own);
}

TEST_F(OracleSpecTest, AFixedMethodIsSharedByAuditsOfAllMethods) {
  const auto other = scratch_.path() / "other";
  test::make_tiny_run(other, {"method.name=contrastive"});
  AuditOptions fixed;
  fixed.oracle_method = "finetune";

  EXPECT_EQ(key(run(), fixed), key(other, fixed));
  EXPECT_NE(key(run()), key(other));
  EXPECT_EQ(specs(2, fixed).front().method, "finetune");
  fixed.oracle_method = "no method";
  EXPECT_THROW(specs(2, fixed), ConfigError);
}

}  // namespace
}  // namespace lethe
