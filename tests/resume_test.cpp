// Interrupts the executable at random moments and resumes it. The result must be bit-identical to
// that of an uninterrupted run.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <thread>

#include "lethe/core/files.h"
#include "lethe/core/random.h"
#include "lethe/model/torch.h"
#include "lethe/trainer/checkpoint.h"
#include "tests/support/process.h"
#include "tests/support/run_record.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> command(const fs::path& out, bool resume) {
  std::vector<std::string> arguments = {"run",   "smoke",
                                        "--out", out.string(),
                                        "--set", "train.checkpoint_steps=2",
                                        "--set", "forget.keep_before=true",
                                        "--set", "train.epochs=4",
                                        "--set", "eval.every=epoch",
                                        "--set", "data.train_per_class=24",
                                        "--set", "data.test_per_class=10",
                                        "--set", "forget.margin=0.99"};
  if (resume) arguments.push_back("--resume");
  return arguments;
}

class ResumeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    whole_ = new Scratch();
    const auto outcome = lethe(command(whole_->path() / "run", false));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static void TearDownTestSuite() {
    delete whole_;
    whole_ = nullptr;
  }
  static std::string expected() { return fingerprint(whole_->path() / "run"); }

  static int64_t lines_in(const fs::path& file) {
    if (!fs::exists(file)) return 0;
    const auto text = read_text(file);
    return std::count(text.begin(), text.end(), '\n');
  }

  // Starts the run, sends the signal at a random moment, and repeats this until the run completes.
  // The moment depends on the progress of the record, not on time, because machines differ. Returns
  // the number of interruptions.
  static int interrupted_run(const fs::path& out, int signal, uint32_t seed) {
    constexpr int kStops = 4;
    Random random(1, Purpose::kTest, seed);
    const auto whole = static_cast<double>(lines_in(whole_->path() / "run" / "metrics.jsonl"));
    int stops = 0;
    for (int attempt = 0; attempt < 12; ++attempt) {
      // Without a checkpoint, --resume starts from the beginning, so a supervisor can always pass
      // it.
      Process process(command(out, true));
      const double share = (attempt + random.uniform(0, 0.9)) / kStops;
      const auto target = attempt < kStops ? static_cast<int64_t>(share * whole) : INT64_MAX;
      while (process.running() && lines_in(out / "metrics.jsonl") < target) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(random.below(60)));
      if (process.running()) {
        process.send(signal);
        const auto outcome = process.finish();
        ++stops;
        // No message: so early that the handlers were not installed yet.
        if (signal == SIGTERM && outcome.status != 0) {
          EXPECT_EQ(outcome.status, 128 + SIGTERM) << outcome.err;
          if (outcome.err.find("error: ") != std::string::npos) {
            EXPECT_NE(outcome.err.find("--resume"), std::string::npos) << outcome.err;
          }
        }
        continue;
      }
      const auto outcome = process.finish();
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      return stops;
    }
    ADD_FAILURE() << "the run never finished";
    return stops;
  }

  static Scratch* whole_;
};

Scratch* ResumeTest::whole_ = nullptr;

TEST_F(ResumeTest, ARunKilledAtRandomMomentsIsBitIdentical) {
  const Scratch scratch;

  const int stops = interrupted_run(scratch.path() / "run", SIGKILL, 1);

  EXPECT_GT(stops, 0);
  EXPECT_EQ(fingerprint(scratch.path() / "run"), expected());
}

TEST_F(ResumeTest, ARunTerminatedAtRandomMomentsIsBitIdentical) {
  const Scratch scratch;

  const int stops = interrupted_run(scratch.path() / "run", SIGTERM, 2);

  EXPECT_GT(stops, 0);
  EXPECT_EQ(fingerprint(scratch.path() / "run"), expected());
}

TEST_F(ResumeTest, CtrlCWritesACheckpointSaysHowToResumeAndIsExitStatus130) {
  const Scratch scratch;
  const auto run = scratch.path() / "run";
  auto arguments = command(run, false);
  arguments.insert(arguments.end(), {"--set", "train.checkpoint_steps=0"});  // none but this one
  Process process(arguments);
  while (process.running() && lines_in(run / "metrics.jsonl") < 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));

  process.send(SIGINT);
  const auto outcome = process.finish();

  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_TRUE(fs::exists(partial_folder(run)));
  EXPECT_NE(outcome.err.find("to resume: lethe run " + (run / "config.toml").string()),
            std::string::npos)
      << outcome.err;
}

TEST_F(ResumeTest, CtrlCInASuiteSaysHowToResumeTheSuite) {
  const Scratch scratch;
  const auto file = scratch / "my.toml";
  write_atomically(file, "preset = \"smoke\"\nrun = [{ method = \"finetune\" }]\n");
  Process process({"suite", file, "--out", scratch / "runs", "--threads", "1", "--set",
                   "train.epochs=4", "--set", "data.train_per_class=40"});
  const auto run = scratch.path() / "runs" / "my-finetune";
  while (process.running() && lines_in(run / "metrics.jsonl") < 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));

  process.send(SIGINT);
  const auto outcome = process.finish();

  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("to resume: lethe suite " + file +
                             " --seeds 0 --set train.epochs=4 --set data.train_per_class=40 "
                             "--out " +
                             (scratch / "runs") + " --threads 1 --resume\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.err.find("lethe run"), std::string::npos) << outcome.err;
}

// The control: a run that goes on without what the optimiser knew ends in other bits.
TEST_F(ResumeTest, ARunWhoseStateIsNotRestoredEndsInOtherBits) {
  const Scratch scratch;
  const auto run = scratch.path() / "run";
  Process process(command(run, false));
  while (process.running() && !fs::exists(partial_folder(run)))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  process.send(SIGKILL);
  process.finish();
  ASSERT_TRUE(fs::exists(partial_folder(run)));
  const auto saved = read_checkpoint(partial_folder(run));
  auto momentum = saved.optimizer;
  for (auto& [name, tensor] : momentum) tensor = torch::zeros_like(tensor);
  write_checkpoint(partial_folder(run), saved.model, saved.method, momentum,
                   [&](const std::string&) { return saved.state; });

  const auto outcome = lethe(command(run, true));

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(fingerprint(run), expected());
}

// Control experiment: the comparison detects differences.
TEST_F(ResumeTest, AnotherSeedIsNotBitIdentical) {
  const Scratch scratch;
  auto arguments = command(scratch.path() / "run", false);
  arguments.insert(arguments.end(), {"--seed", "1"});

  ASSERT_EQ(lethe(arguments).status, 0);

  EXPECT_NE(fingerprint(scratch.path() / "run"), expected());
}

TEST_F(ResumeTest, TheResolvedConfigurationReproducesTheRun) {
  const Scratch scratch;

  const auto outcome =
      lethe({"run", (whole_->path() / "run" / "config.toml").string(), "--out", scratch / "again"});

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(fingerprint(scratch.path() / "again"), expected());
}

TEST_F(ResumeTest, ResumingAFinishedRunReportsThisAndChangesNothing) {
  const auto before = expected();

  const auto outcome = lethe(command(whole_->path() / "run", true));

  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("already finished"), std::string::npos) << outcome.err;
  EXPECT_EQ(expected(), before);
}

TEST_F(ResumeTest, ResumingWithAnotherSettingIsAnErrorThatNamesTheKey) {
  auto arguments = command(whole_->path() / "run", true);
  arguments.insert(arguments.end(), {"--set", "train.momentum=0.5"});

  const auto outcome = lethe(arguments);

  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("train.momentum"), std::string::npos) << outcome.err;
}

TEST_F(ResumeTest, EvaluatingTheFinishedRunGivesTheRecordedCounts) {
  for (const char* task : {"1", "2"}) {
    const auto outcome = lethe({"eval", (whole_->path() / "run").string(), "--task", task});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("identical to the evaluation at the end of training, in all counts"),
              std::string::npos)
        << outcome.out;
  }
}

TEST_F(ResumeTest, ASecondProcessOnTheSameRunIsAnError) {
  const Scratch scratch;
  Process first(command(scratch.path() / "run", false));
  while (first.running() && !fs::exists(scratch.path() / "run" / "versions")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_TRUE(first.running()) << first.finish().err;

  const auto second = lethe(command(scratch.path() / "run", true));

  EXPECT_EQ(second.status, 2);
  EXPECT_NE(second.err.find("another process is working on this run"), std::string::npos)
      << second.err;
}

}  // namespace
}  // namespace lethe::test
