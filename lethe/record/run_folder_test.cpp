#include "lethe/record/run_folder.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/trainer/checkpoint.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

class RunFolderTest : public testing::Test {
 protected:
  void write(const fs::path& file) {
    fs::create_directories(file.parent_path());
    write_atomically(file, "x");
  }
  std::string refusal(bool resume) {
    try {
      const RunFolder folder(run_, resume);
      return "";
    } catch (const ConfigError& error) {
      return error.what();
    }
  }

  test::Scratch scratch_;
  fs::path run_ = scratch_.path() / "run";
};

TEST_F(RunFolderTest, AStartThatFailsLeavesNothingBehind) {
  {
    const RunFolder folder(run_, false);
    write(run_ / "config.toml");
  }
  EXPECT_FALSE(fs::exists(run_));
}

TEST_F(RunFolderTest, AnEmptyFolderOfTheUserIsKeptEmpty) {
  fs::create_directories(run_);
  {
    const RunFolder folder(run_, false);
    write(run_ / "environment.json");
  }
  EXPECT_TRUE(fs::is_empty(run_));
}

TEST_F(RunFolderTest, TheFolderIsKeptFromTheFirstStepOn) {
  {
    RunFolder folder(run_, false);
    write(run_ / "config.toml");
    folder.on(StepDone{});
  }
  EXPECT_TRUE(fs::exists(run_ / "config.toml"));
}

TEST_F(RunFolderTest, AFolderWithOtherFilesIsAnErrorAndIsNotChanged) {
  write(run_ / "notes.tmp-123");
  write(run_ / "config.toml");

  for (const bool resume : {false, true}) {
    EXPECT_NE(refusal(resume).find("is not a run directory (it contains 'notes.tmp-123')"),
              std::string::npos)
        << refusal(resume);
  }
  EXPECT_TRUE(fs::exists(run_ / "notes.tmp-123"));
  EXPECT_TRUE(fs::exists(run_ / "config.toml"));
  EXPECT_FALSE(fs::exists(run_ / kLockFile));
}

TEST_F(RunFolderTest, AFileIsAnError) {
  write(run_);

  EXPECT_NE(refusal(false).find("is a file"), std::string::npos) << refusal(false);
}

TEST_F(RunFolderTest, FilesOfAStartWithoutACheckpointAreOverwritten) {
  write(run_ / "config.toml");
  write(run_ / "metrics.jsonl");
  write(run_ / "matrix.csv.tmp-99");

  EXPECT_EQ(refusal(false), "");
}

TEST_F(RunFolderTest, ARunWithACheckpointNeedsResumeAndKeepsFilesOfTheUser) {
  write(version_folder(run_, 1, EventKind::kLearn) / "state.json");
  write(run_ / "notes.tmp-123");
  write(run_ / "matrix.csv.tmp-99");

  EXPECT_NE(refusal(false).find("--resume"), std::string::npos) << refusal(false);
  EXPECT_TRUE(fs::exists(run_ / "matrix.csv.tmp-99"));

  EXPECT_EQ(refusal(true), "");
  EXPECT_FALSE(fs::exists(run_ / "matrix.csv.tmp-99"));
  EXPECT_TRUE(fs::exists(run_ / "notes.tmp-123"));
}

TEST_F(RunFolderTest, OnlyOneProcessCanUseAFolder) {
  const RunFolder folder(run_, false);

  EXPECT_NE(refusal(false).find("another process is working on this run"), std::string::npos);
  EXPECT_TRUE(fs::exists(run_ / kLockFile));  // the rejected process removed nothing
}

}  // namespace
}  // namespace lethe
