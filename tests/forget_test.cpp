// Requests and tasks that are added to a finished run by command.
#include <gtest/gtest.h>

#include "lethe/core/files.h"
#include "lethe/trainer/checkpoint.h"
#include "tests/support/one_line_error.h"
#include "tests/support/process.h"
#include "tests/support/run_record.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

using Arguments = std::vector<std::string>;

// Arguments of a short run on synthetic images.
Arguments run_command(const fs::path& out, const Arguments& more = {}) {
  Arguments all = {"run",       "smoke",
                   "--out",     out.string(),
                   "--set",     "method.contrastive.cls_source=codes",
                   "--set",     "data.train_per_class=20",
                   "--set",     "data.test_per_class=10",
                   "--set",     "train.epochs=1",
                   "--set",     "train.checkpoint_steps=2",
                   "--threads", "1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Settings with which every result of a request is accepted.
const Arguments kAcceptAll = {"--set", "forget.margin=0.99", "--set", "forget.kept_fall=1",
                              "--set", "forget.mean_fall=1"};

Arguments event_command(const std::string& command, const fs::path& run, const Arguments& more) {
  Arguments all = {command, run.string(), "--threads", "1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const Arguments kShapes = {
    "--data", "shapes", "--set", "data.train_per_class=20", "--set", "data.test_per_class=10"};

Arguments with_shapes(Arguments all) {
  all.insert(all.end(), kShapes.begin(), kShapes.end());
  return all;
}

class ForgetTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new Scratch();
    const auto outcome = lethe(run_command(shared_->path() / "run", kAcceptAll));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }

  ForgetTest() { fs::copy(shared_->path() / "run", run_, fs::copy_options::recursive); }

  Outcome forget(const Arguments& more) const { return lethe(event_command("forget", run_, more)); }
  Outcome learn(const Arguments& more) const { return lethe(event_command("learn", run_, more)); }
  void expect_intact() const {
    const auto outcome = lethe({"verify", run_.string()});
    EXPECT_EQ(outcome.status, 0) << outcome.out;
  }

  static Scratch* shared_;
  Scratch scratch_;
  fs::path run_ = scratch_.path() / "run";
};

Scratch* ForgetTest::shared_ = nullptr;

TEST_F(ForgetTest, ARequestErasesTheClassAndEveryVersionThatKnewIt) {
  const auto outcome = forget(with_shapes({"--classes", "solid cross", "--reason", "no consent"}));

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("erased from the model: solid cross"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(versions_of(run_), (std::vector<int64_t>{3}));
  EXPECT_EQ(erased_in(read_checkpoint(version_of(run_, 3))), (ClassSet{0, 3}));
  expect_intact();
  const auto evaluated = lethe({"eval", run_.string()});
  EXPECT_EQ(evaluated.status, 0) << evaluated.out << evaluated.err;
  const auto history = lethe({"history", run_.string()}).out;
  EXPECT_NE(history.find("reason: no consent"), std::string::npos) << history;

  // Twice is refused, and nothing changes.
  const auto before = fingerprint(run_);
  expect_one_line_error(forget(with_shapes({"--classes", "solid cross"})), 2,
                        "'solid cross' was already forgotten and erased by event 3");
  expect_one_line_error(forget({"--classes", "solid cros"}), 2, "did you mean 'solid cross'?");
  expect_one_line_error(forget({"--classes", "striped square", "--epochs", "2"}), 2,
                        "--epochs: needs --data");
  EXPECT_EQ(fingerprint(run_), before);

  // The run counts as finished.
  auto again = run_command(run_, kAcceptAll);
  again.push_back("--resume");
  const auto resumed = lethe(again);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("already finished"), std::string::npos) << resumed.err;
}

TEST_F(ForgetTest, ARequestCanBeCarriedOutTwiceWithTheSameBitsAndWithoutImages) {
  const auto outcome = forget({"--classes", "solid cross", "--steps", "4", "--replay"});

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("carried out twice, with the same bits"), std::string::npos)
      << outcome.out;
  EXPECT_FALSE(fs::exists(replay_folder(run_)));
  expect_intact();
}

TEST_F(ForgetTest, AMethodThatCanDoNothingWithoutImagesRefusesAndNamesOthers) {
  const auto run = scratch_.path() / "plain";
  Arguments more = kAcceptAll;
  more.insert(more.end(), {"--set", "method.name=lwf*"});
  ASSERT_EQ(lethe(run_command(run, more)).status, 0);
  const auto before = fingerprint(run);

  expect_one_line_error(lethe(event_command("forget", run, {"--classes", "solid cross"})), 2,
                        "needs images: add --data");

  EXPECT_EQ(fingerprint(run), before);
  EXPECT_FALSE(fs::exists(run / "pending.json"));
}

TEST_F(ForgetTest, ARequestThatRuinsTheModelLeavesTheRunAsItWasUntilSomebodyDecides) {
  const auto run = scratch_.path() / "fast";
  ASSERT_EQ(lethe(run_command(run, {"--set", "stream.tasks=[4]", "--set", "requests=[]", "--set",
                                    "train.epochs=4", "--set", "train.lr_next=20", "--set",
                                    "data.train_per_class=40", "--set", "data.test_per_class=20"}))
                .status,
            0);
  const auto before = fingerprint(run);

  const auto outcome = lethe(
      event_command("forget", run, with_shapes({"--classes", "solid cross", "--epochs", "1"})));

  EXPECT_EQ(outcome.status, 4) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("not accepted: the run is as it was"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(fingerprint(run), before);
  EXPECT_TRUE(fs::exists(candidate_folder(run)));
  expect_one_line_error(lethe(event_command("forget", run, {"--classes", "solid cross"})), 2,
                        "waits for a decision");
  EXPECT_NE(lethe({"verify", run.string()}).out.find("versions/candidate is a result"),
            std::string::npos);
  expect_one_line_error(lethe({"learn", run.string(), "--discard"}), 2,
                        "the pending event is a `forget`");
  EXPECT_EQ(lethe({"forget", run.string(), "--discard"}).status, 0);
  EXPECT_FALSE(fs::exists(candidate_folder(run)));
  EXPECT_EQ(fingerprint(run), before);
  EXPECT_EQ(lethe({"verify", run.string()}).status, 0);
}

TEST_F(ForgetTest, ARunLearnsNewClassesAndAForgottenOneOnRequest) {
  const auto first = learn(with_shapes({"--classes", "checkered circle,solid square"}));
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(lethe({"eval", run_.string()}).status, 0);
  expect_one_line_error(learn(with_shapes({"--classes", "solid square"})), 2,
                        "the run knows 'solid square' already");
  expect_one_line_error(learn({"--classes", "bird"}), 2, "--data: name the images");

  // Forgotten, then learned again: a new class with the old name.
  ASSERT_EQ(forget(with_shapes({"--classes", "solid square"})).status, 0);
  const auto back = learn(with_shapes({"--classes", "solid square"}));

  ASSERT_EQ(back.status, 0) << back.err;
  EXPECT_NE(back.err.find("is learned again on request"), std::string::npos) << back.err;
  EXPECT_EQ(lethe({"eval", run_.string()}).status, 0);
  ASSERT_EQ(forget(with_shapes({"--classes", "solid square"})).status, 0);
  expect_intact();
}

TEST_F(ForgetTest, KeptVersionsAreListedAndRemovedByPurgeAndAReplayChecksThemBefore) {
  const auto run = scratch_.path() / "kept";
  Arguments more = kAcceptAll;
  more.insert(more.end(), {"--set", "forget.keep_before=true"});
  ASSERT_EQ(lethe(run_command(run, more)).status, 0);
  ASSERT_EQ(versions_of(run), (std::vector<int64_t>{1, 2}));

  const auto replayed = lethe({"verify", run.string(), "--replay", "--threads", "1"});
  EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
  EXPECT_NE(replayed.out.find("event 2: repeated, the same bits"), std::string::npos)
      << replayed.out;

  // A file that lethe did not write is found, but a purge does not remove it.
  fs::copy_file(version_of(run, 1) / "model.safetensors", run / "copy.bin");
  const auto copied = lethe({"purge", run.string()});
  EXPECT_EQ(copied.status, 4) << copied.out;
  EXPECT_NE(copied.out.find("copy.bin: contains a row of 'solid circle'"), std::string::npos)
      << copied.out;
  fs::remove(run / "copy.bin");
  expect_one_line_error(lethe({"purge", run.string(), "--classes", "solid cross"}), 2,
                        "'solid cross' was never forgotten");

  const auto shown = lethe({"purge", run.string()});
  EXPECT_NE(shown.out.find("would be removed: versions/001-learn"), std::string::npos) << shown.out;
  // The scan finds the row of the class in the version from before the request.
  const auto scanned = lethe({"verify", run.string()}).out;
  EXPECT_NE(scanned.find("001-learn/model.safetensors: contains a row of 'solid circle'"),
            std::string::npos)
      << scanned;
  EXPECT_EQ(versions_of(run).size(), 2u);
  ASSERT_EQ(lethe({"purge", run.string(), "--apply"}).status, 0);
  EXPECT_EQ(versions_of(run), (std::vector<int64_t>{2}));
  const auto verified = lethe({"verify", run.string()});
  EXPECT_EQ(verified.status, 0) << verified.out;
  EXPECT_NE(verified.out.find("nothing found"), std::string::npos) << verified.out;
  EXPECT_EQ(lethe({"eval", run.string()}).status, 0);
  // Events go on after a purge.
  EXPECT_EQ(
      lethe(event_command("forget", run, {"--classes", "solid cross", "--steps", "2"})).status, 0);
}

// Later tasks of the paper's protocol act on forgotten classes; keep_before keeps them to the end.
TEST_F(ForgetTest, APurgeErasesForgottenClassesThatAreStillInTheModel) {
  const auto run = scratch_.path() / "paper";
  Arguments more = kAcceptAll;
  more.insert(more.end(), {"--set", "forget.protocol=paper", "--set", "forget.keep_before=true"});
  const auto trained = lethe(run_command(run, more));
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_NE(trained.out.find("forgotten, but still in the newest model: solid circle"),
            std::string::npos)
      << trained.out;

  const auto before = fingerprint(run);
  const auto shown = lethe({"purge", run.string()});
  EXPECT_NE(shown.out.find("would be erased from the newest model: solid circle"),
            std::string::npos)
      << shown.out;
  EXPECT_EQ(fingerprint(run), before);

  const auto purged = lethe({"purge", run.string(), "--apply", "--threads", "1"});
  ASSERT_EQ(purged.status, 0) << purged.out << purged.err;
  EXPECT_NE(purged.out.find("erased from the model: solid circle (classifier row"),
            std::string::npos)
      << purged.out;
  EXPECT_EQ(versions_of(run), (std::vector<int64_t>{3}));
  EXPECT_EQ(version_of(run, 3).filename(), "003-purge");
  EXPECT_EQ(erased_in(read_checkpoint(version_of(run, 3))), (ClassSet{0}));
  const auto verified = lethe({"verify", run.string()});
  EXPECT_EQ(verified.status, 0) << verified.out;
  EXPECT_NE(verified.out.find("nothing found"), std::string::npos) << verified.out;
  const auto evaluated = lethe({"eval", run.string()});
  EXPECT_EQ(evaluated.status, 0) << evaluated.out << evaluated.err;
  EXPECT_NE(lethe({"history", run.string()}).out.find("  purge\n     erased: solid circle"),
            std::string::npos);
  EXPECT_NE(
      lethe({"purge", run.string()}).out.find("nothing is left: no version knows an erased class"),
      std::string::npos);

  // Events go on after it, and can be repeated.
  ASSERT_EQ(lethe(event_command("learn", run,
                                with_shapes({"--classes", "solid circle", "--epochs", "1"})))
                .status,
            0);
  const auto replayed = lethe({"verify", run.string(), "--replay", "--threads", "1"});
  EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
  EXPECT_NE(replayed.out.find("event 4: repeated, the same bits"), std::string::npos)
      << replayed.out;
}

TEST_F(ForgetTest, AnErasureRemovesTheFirstTaskFromTheCache) {
  const auto run = scratch_.path() / "cached";
  const auto cache = scratch_.path() / "cache";
  Arguments more = kAcceptAll;
  more.insert(more.end(), {"--cache", cache.string(), "--set", "requests=[]"});
  ASSERT_EQ(lethe(run_command(run, more)).status, 0);
  ASSERT_EQ(std::distance(fs::directory_iterator(cache), fs::directory_iterator()), 1);
  fs::create_directories(cache / "something else");
  fs::copy_file(version_of(run, 1) / "model.safetensors", run / "copy.bin");

  const auto outcome =
      lethe(event_command("forget", run, {"--classes", "solid circle", "--steps", "2"}));

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(cache.string()), std::string::npos) << outcome.out;
  ASSERT_EQ(std::distance(fs::directory_iterator(cache), fs::directory_iterator()), 1);
  EXPECT_TRUE(fs::exists(cache / "something else"));
  // The scan knows the rows of every version that was removed.
  const auto scanned = lethe({"verify", run.string()});
  EXPECT_EQ(scanned.status, 4) << scanned.out;
  EXPECT_NE(scanned.out.find("copy.bin: contains a row of 'solid circle'"), std::string::npos)
      << scanned.out;
  fs::remove(run / "copy.bin");
  const auto verified = lethe({"verify", run.string()});
  EXPECT_EQ(verified.status, 0) << verified.out;
}

}  // namespace
}  // namespace lethe::test
