// `lethe forget --exact`: the stream is trained again from the beginning without the classes.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/system.h"
#include "lethe/record/evaluations.h"
#include "lethe/record/ledger.h"
#include "lethe/record/run_files.h"
#include "lethe/record/verify.h"
#include "lethe/run/add_event.h"
#include "lethe/run/evaluate_run.h"
#include "lethe/run/finished_run.h"
#include "lethe/run/retrain.h"
#include "lethe/run/runner.h"
#include "tests/support/image_files.h"
#include "tests/support/one_line_error.h"
#include "tests/support/process.h"
#include "tests/support/run_record.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

using Strings = std::vector<std::string>;

const Strings kSmall = {"data.train_per_class=16",
                        "data.test_per_class=6",
                        "data.size=16",
                        "model.width=8",
                        "train.batch=8",
                        "train.epochs=2",
                        "forget.margin=0.99",
                        "train.checkpoint_steps=3",
                        "method.contrastive.cls_source=codes"};
const Strings kAcceptAll = {"forget.kept_fall=1", "forget.mean_fall=1"};

Strings joined(Strings all, const Strings& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A run of two tasks; the first class is forgotten before the second.
void make_run(const fs::path& out, const Strings& more = kAcceptAll) {
  RunOptions options;
  options.config = "smoke";
  options.sets = joined(kSmall, more);
  options.out = out;
  lethe::run(options);
}

// The evaluation of the newest version.
EvaluationRow newest_row(const fs::path& run) {
  return read_evaluations(run / kMetricsFile).back();
}

class ExactTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    set_up_threads(1);
    shared_ = new Scratch();
    make_run(shared_->path() / "run");
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  ExactTest() { fs::copy(shared_->path() / "run", run_, fs::copy_options::recursive); }

  EventOptions request(const Strings& classes) const {
    EventOptions options;
    options.run = run_;
    options.classes = classes;
    options.data = "shapes";
    options.sets = {"data.train_per_class=16", "data.test_per_class=6"};
    options.exact = true;
    return options;
  }
  std::string error_of(const EventOptions& options) const {
    try {
      add_event(options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }
  void expect_intact() const {
    for (const auto& problem : verify_run(run_).problems) ADD_FAILURE() << problem;
    EXPECT_TRUE(evaluate_run(run_, 0).same);
  }

  static Scratch* shared_;
  Scratch scratch_;
  fs::path run_ = scratch_.path() / "run";
};

Scratch* ExactTest::shared_ = nullptr;

TEST_F(ExactTest, TheNewVersionIsTheModelThatWasTrainedWithoutTheClasses) {
  // The same training, kept.
  const auto kept = scratch_.path() / "kept";
  {
    RunConfig config;
    read_run_config(config, run_);
    const FinishedRun finished(run_, config);
    auto history = finished.history;
    history.added.push_back(
        {.event = {.classes = {"solid cross"}, .exact = true},
         .data = "[data]\nname = \"shapes\"\ntrain_per_class = 16\ntest_per_class = 6\n"});
    history.last_is_new = true;
    const auto images = make_experiment(config, history);
    const auto made = retrain({.run = run_, .folder = kept, .history = history, .images = images});
    EXPECT_EQ(made.tasks, 2);
    EXPECT_EQ(made.model.images, 6 * 16);
    EXPECT_EQ(made.cost.images, 2 * 6 * 16);
  }

  const auto result = add_event(request({"solid cross"}));

  ASSERT_TRUE(result.accepted) << result.text;
  EXPECT_EQ(versions_of(run_), (std::vector<int64_t>{3}));
  const auto version = read_checkpoint(version_of(run_, 3));
  EXPECT_EQ(erased_in(version), (ClassSet{0, 3}));
  const auto expected = read_checkpoint(version_of(kept, 2));
  ASSERT_EQ(version.model.size(), expected.model.size());
  for (const auto& [name, tensor] : expected.model)
    EXPECT_TRUE(tensor.equal(version.model.at(name))) << name;
  for (const auto& [name, tensor] : expected.method)
    EXPECT_TRUE(tensor.equal(version.method.at(name))) << name;
  const auto row = newest_row(run_);
  const auto oracle = newest_row(kept);
  for (const ClassId id : {1, 2, 4, 5, 6, 7}) {
    EXPECT_EQ(row.classes.at(static_cast<size_t>(id)).correct,
              oracle.classes.at(static_cast<size_t>(id)).correct)
        << id;
  }
  EXPECT_EQ(row.classes.at(0).predicted + row.classes.at(3).predicted, 0);
  EXPECT_FALSE(fs::exists(run_ / kRetrainFolder));
  expect_intact();
}

TEST_F(ExactTest, TheLedgerSaysWhatWasTrainedAndEventsGoOnAfterwards) {
  ASSERT_TRUE(add_event(request({"solid cross"})).accepted);

  const Ledger ledger(run_);
  const auto& line = *ledger.line_of(3);
  const auto& made = line.at(kRetrainedKey);
  EXPECT_EQ(made.at("method"), "contrastive");
  EXPECT_EQ(made.at("seed"), 0);
  EXPECT_EQ(made.at("images"), 6 * 16);
  EXPECT_GT(made.at("seconds").get<double>(), 0);
  EXPECT_EQ(line.at("images"), 6 * 16);
  EXPECT_EQ(line.at("requests").at(0).at("effect"),
            "trained again from the beginning, without these classes");
  EXPECT_EQ(line.at("requests").at(0).at("accuracy").at("after").at("solid cross"), 0);
  EXPECT_TRUE(line.at("erased").contains("solid cross"));

  // A class that comes back, and another request of each kind.
  EventOptions learn;
  learn.run = run_;
  learn.kind = EventKind::kLearn;
  learn.classes = {"solid cross"};
  learn.data = "shapes";
  learn.sets = {"data.train_per_class=16", "data.test_per_class=6", "train.lr_next=0.05"};
  learn.epochs = 1;
  ASSERT_TRUE(add_event(learn).accepted);
  EventOptions codes;
  codes.run = run_;
  codes.classes = {"striped circle"};
  codes.steps = 2;
  const auto forgotten = add_event(codes);
  if (!forgotten.accepted) discard_event(run_, EventKind::kForget);
  // Now with the later task.
  const auto again = add_event(request({"striped square"}));
  ASSERT_TRUE(again.accepted) << again.text;
  EXPECT_EQ(Ledger(run_).lines().back().at(kRetrainedKey).at("tasks"), 3);
  const auto row = newest_row(run_);
  EXPECT_EQ(row.classes.at(1).predicted, 0);
  EXPECT_GT(row.classes.at(8).total, 0);
  expect_intact();
}

TEST_F(ExactTest, ImagesOfEveryKeptClassAreNeeded) {
  auto without = request({"solid cross"});
  without.data.clear();
  without.sets.clear();
  EXPECT_EQ(error_of(without), "--exact: needs --data with images of every kept class");
  auto epochs = request({"solid cross"});
  epochs.epochs = 2;
  EXPECT_NE(error_of(epochs).find("--epochs: not with --exact"), std::string::npos);
  auto shown = request({"solid cross"});
  shown.use_forgotten_images = true;
  EXPECT_NE(error_of(shown).find("--use-forgotten-images: --exact trains without"),
            std::string::npos);

  const auto folder = scratch_.path() / "two classes";
  for (int i = 0; i < 8; ++i)
    write_noise(folder / (i % 2 == 0 ? "striped square" : "checkered triangle") /
                    (std::to_string(i) + ".png"),
                i, 16, 16);
  auto few = request({"solid cross"});
  few.data = folder.string();
  few.sets.clear();
  const auto message = error_of(few);
  EXPECT_NE(message.find("has no image of striped circle"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(run_ / kPendingFile));
  EXPECT_FALSE(fs::exists(run_ / kRetrainFolder));
}

TEST_F(ExactTest, ADryRunSaysWhatWouldBeTrainedAndHowLong) {
  const auto text = dry_run(request({"solid cross"}));

  EXPECT_NE(text.find("trained again from the beginning, without solid circle, solid cross"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("striped square, checkered triangle |"), std::string::npos) << text;
  EXPECT_NE(text.find("as fast as the run was trained"), std::string::npos) << text;
  EXPECT_FALSE(fs::exists(run_ / kRetrainFolder));
}

TEST_F(ExactTest, ItIsCarriedOutTwiceWithTheSameBits) {
  auto options = request({"solid cross"});
  options.replay = true;

  const auto result = add_event(options);

  ASSERT_TRUE(result.accepted) << result.text;
  EXPECT_NE(result.text.find("carried out twice, with the same bits"), std::string::npos)
      << result.text;
  EXPECT_FALSE(fs::exists(replay_folder(run_)));
}

TEST_F(ExactTest, AResultThatIsNotAcceptedIsNotTrainedAgainWhenItIs) {
  const auto run = scratch_.path() / "strict";
  make_run(run, {"forget.mean_fall=0", "forget.kept_fall=0", "train.epochs=6"});
  auto options = request({"solid cross"});
  options.run = run;
  options.sets.emplace_back("train.max_steps=1");  // a result that is worse
  const auto result = add_event(options);
  ASSERT_FALSE(result.accepted) << result.text;
  ASSERT_TRUE(fs::exists(run / kRetrainFolder));
  const auto cost = cost_until(training_costs(run / kRetrainFolder / kMetricsFile), 2);

  EventOptions accept;
  accept.run = run;
  accept.accept = true;
  ASSERT_TRUE(add_event(accept).accepted);

  EXPECT_NEAR(Ledger(run).lines().back().at(kRetrainedKey).at("seconds").get<double>(),
              cost.seconds, 0.001);
  EXPECT_FALSE(fs::exists(run / kRetrainFolder));
  EXPECT_EQ(verify_run(run).problems, Strings{});
}

TEST_F(ExactTest, MasksAreTrainedWithoutImagesThatShowTheClassUnlessTheOperatorAllowsThem) {
  const auto run = scratch_.path() / "masks";
  RunOptions start;
  start.config = "shapes_seg";
  start.sets = {"data.train_per_class=8",  "data.test_per_class=2",  "model.width=8",
                "model.head_channels=16",  "stream.tasks=[3, 1, 1]", "requests=[]",
                "train.max_steps=2",       "method.name=sdr*",       "forget.margin=0.99",
                "forget.kept_fall=1",      "forget.mean_fall=1",     "forget.protocol=erase",
                "stream.forget_fraction=0"};
  start.out = run;
  lethe::run(start);
  EventOptions options;
  options.run = run;
  RunConfig config;
  read_run_config(config, run);
  const FinishedRun finished(run, config);
  options.classes = {finished.plan->class_name(4)};  // alone in its task
  options.data = "shapes_seg";
  options.sets = {"data.train_per_class=8", "data.test_per_class=2"};
  options.exact = true;
  const auto hidden = dry_run(options);
  options.use_forgotten_images = true;
  const auto shown = dry_run(options);
  EXPECT_NE(hidden, shown);

  const auto result = add_event(options);

  ASSERT_TRUE(result.accepted) << result.text;
  EXPECT_EQ(erased_in(read_checkpoint(version_of(run, 4))), (ClassSet{4}));
  EXPECT_EQ(newest_row(run).classes.at(4).predicted, 0);
  EXPECT_EQ(Ledger(run).lines().back().at(kRetrainedKey).at("tasks"), 2);
  EXPECT_EQ(verify_run(run).problems, Strings{});
  EXPECT_TRUE(evaluate_run(run, 0).same);
}

TEST_F(ExactTest, TheCommandDescribesItselfAndShowsTheResult) {
  const Strings command = {"forget",
                           run_.string(),
                           "--classes",
                           "solid cross",
                           "--exact",
                           "--data",
                           "shapes",
                           "--set",
                           "data.train_per_class=16",
                           "--set",
                           "data.test_per_class=6",
                           "--threads",
                           "1"};

  const auto outcome = lethe(command);

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("erased from the model: solid cross"), std::string::npos)
      << outcome.out;
  const auto history = lethe({"history", run_.string()}).out;
  EXPECT_NE(history.find("trained again from the beginning without these classes: 2 tasks"),
            std::string::npos)
      << history;
}

}  // namespace
}  // namespace lethe::test
