#include "lethe/record/ledger_keeper.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/record/history.h"
#include "lethe/record/recorder.h"
#include "lethe/record/recover.h"
#include "lethe/record/run_files.h"
#include "lethe/record/verify.h"
#include "lethe/trainer/trainer.h"
#include "tests/support/data_files.h"
#include "tests/support/fake_segmentation.h"
#include "tests/support/run_record.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

// Simulates a kill between the version of an event and its line in the ledger, or before the
// removals that follow it.
class StopsAtVersion : public Listener {
 public:
  struct Stop {};
  explicit StopsAtVersion(int64_t task) : task_(task) {}
  void on(const VersionWritten& event) override {
    if (event.task == task_) throw Stop();
  }

 private:
  int64_t task_;
};

class LedgerKeeperTest : public testing::Test {
 protected:
  enum class Stop { kNever, kBeforeLine, kAfterLine };

  // Two tasks and a request-only event. The first square is requested before the second task. All
  // classes of requests are erased, whatever the verdict.
  void train(const fs::path& run, Stop stop = Stop::kNever, const KeepOptions& keep = {}) {
    fs::create_directories(run);
    write_atomically(run / kConfigFile, "a = 1\n");
    write_atomically(run / kEnvironmentFile, "{}\n");
    auto network = std::make_shared<test::TinySegmenter>(3);
    test::ThreePasses method;
    StopsAtVersion before(stop == Stop::kBeforeLine ? 2 : 0);
    StopsAtVersion after(stop == Stop::kAfterLine ? 2 : 0);
    Recorder recorder(run, plan_, {}, 4);
    LedgerKeeper keeper(run, plan_, recorder.table(), {.method = "fake", .keep = keep});
    Trainer trainer(
        test::squares_training(), {},
        {.plan = plan_,
         .train = train_,
         .eval = test_,
         .augmentation = {.pad = 1, .flip = true, .rotation = 0},
         .network = network,
         .method = method,
         .run = run,
         .close = [](const TaskDone& done) -> Closing { return {.erase = done.task.requested}; }},
        {&before, &recorder, &keeper, &after});
    recover_run(run);
    if (!trainer.resume()) {
      recorder.start_afresh();
      keeper.start(train_->info());
    }
    trainer.run();
  }

  test::Scratch scratch_;
  fs::path run_ = scratch_.path() / "run";
  DatasetPtr train_ = std::make_shared<test::SquareSet>(36, 3);
  DatasetPtr test_ = std::make_shared<test::SquareSet>(12, 3);
  TaskPlan plan_{test::squares_stream(), train_->info()};
};

TEST_F(LedgerKeeperTest, EveryEventHasALineWithItsRequestsErasuresAndHashes) {
  train(run_);

  const Ledger ledger(run_);
  ASSERT_EQ(ledger.lines().size(), 4u);
  EXPECT_EQ(ledger.lines()[0]["kind"], "start");
  const auto& second = ledger.lines()[2];
  EXPECT_EQ(second["kind"], "learn");
  EXPECT_EQ(second["requests"][0]["classes"][0], "square 1");
  EXPECT_TRUE(second["requests"][0]["verdict"]["square 1"].is_string());
  EXPECT_EQ(second["erased"]["square 1"][0], "classifier row");
  EXPECT_EQ(second["removed"][0], "versions/001-learn");
  EXPECT_EQ(second["model"]["before"], ledger.lines()[1]["model"]["after"]);
  EXPECT_EQ(ledger.lines()[3]["kind"], "forget");
  EXPECT_EQ(ledger.lines()[3]["steps"], 5);
  EXPECT_TRUE(verify_run(run_).passed());
  EXPECT_NE(history_text(run_).find("erased: square 1"), std::string::npos);
}

TEST_F(LedgerKeeperTest, AfterARequestNoVersionThatKnewTheClassIsLeft) {
  train(run_);

  EXPECT_EQ(versions_of(run_), (std::vector<int64_t>{3}));  // version 2 knew square 3
}

TEST_F(LedgerKeeperTest, WithKeepBeforeTheVersionsStay) {
  train(run_, Stop::kNever, {.keep_before = true, .keep_versions = 0});

  EXPECT_EQ(versions_of(run_), (std::vector<int64_t>{1, 2, 3}));
}

TEST_F(LedgerKeeperTest, AKilledEventIsRepeatedOrItsRemovalsAreCompletedWithTheSameResult) {
  train(run_);
  for (const auto stop : {Stop::kBeforeLine, Stop::kAfterLine}) {
    const auto run = scratch_.path() / (stop == Stop::kBeforeLine ? "before" : "after");
    EXPECT_THROW(train(run, stop), StopsAtVersion::Stop);
    EXPECT_EQ(Ledger(run).last_event(), stop == Stop::kBeforeLine ? 1 : 2);

    train(run);

    EXPECT_EQ(test::fingerprint(run), test::fingerprint(run_));
    EXPECT_TRUE(verify_run(run).passed());
  }
}

TEST_F(LedgerKeeperTest, ARemovedLastLineIsNoticedIfLaterFilesNeedIt) {
  train(run_);
  auto text = read_text(run_ / kLedgerFile);
  text.pop_back();
  write_atomically(run_ / kLedgerFile, text.substr(0, text.rfind('\n') + 1));

  EXPECT_NE(
      message_of<DataError>([&] { recover_run(run_); }).find("has no complete line for version 3"),
      std::string::npos);
}

TEST_F(LedgerKeeperTest, VerifyNamesEveryFileInWhichAByteWasChanged) {
  train(run_);
  for (const auto& entry : fs::recursive_directory_iterator(run_)) {
    if (!entry.is_regular_file() || entry.path().filename() == kLedgerFile) continue;
    const auto whole = read_text(entry.path());
    auto changed = whole;
    changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
    write_atomically(entry.path(), changed);

    const auto result = verify_run(run_);

    ASSERT_FALSE(result.passed()) << entry.path();
    EXPECT_NE(result.problems.front().find(entry.path().filename().string()), std::string::npos)
        << result.problems.front();
    EXPECT_THROW(require_intact(run_), DataError);
    write_atomically(entry.path(), whole);
  }
  EXPECT_TRUE(verify_run(run_).passed());
}

TEST_F(LedgerKeeperTest, VerifyNamesAMissingFile) {
  train(run_);
  for (const char* file : {kConfigFile, kMetricsFile, kMatrixFile, "versions/003-forget"}) {
    fs::rename(run_ / file, scratch_.path() / "away");
    const auto problems = verify_run(run_).problems;
    ASSERT_FALSE(problems.empty()) << file;
    EXPECT_NE(problems.front().find(std::string(file) + ": is missing"), std::string::npos)
        << problems.front();
    fs::rename(scratch_.path() / "away", run_ / file);
  }
}

}  // namespace
}  // namespace lethe
