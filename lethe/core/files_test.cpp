#include "lethe/core/files.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "lethe/core/error.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  size_t entries() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  void make_folder(const fs::path& path, const std::string& content) const {
    fs::create_directories(path);
    write_durably(path / "content", content);
  }

  test::Scratch scratch_;
  fs::path folder_ = scratch_.path();
};

TEST_F(FilesTest, WriteAtomicallyReplacesTheWholeFileAndLeavesNothingBeside) {
  write_atomically(folder_ / "a", "first and longer");
  write_atomically(folder_ / "a", "second");

  EXPECT_EQ(read_text(folder_ / "a"), "second");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, AFailedWriteSaysWhereAndKeepsTheOldFile) {
  fs::create_directories(folder_ / "a" / "b");  // a folder cannot be replaced by a file

  EXPECT_THROW(write_atomically(folder_ / "a", "x"), Error);
  EXPECT_THROW(write_atomically(folder_ / "missing" / "x", "x"), Error);
  EXPECT_TRUE(fs::is_directory(folder_ / "a" / "b"));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, ADiskThatIsFullGivesAClearError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  try {
    write_durably("/dev/full", "x");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--resume"), std::string::npos) << error.what();
  }
}

TEST_F(FilesTest, AMissingFileIsADataError) {
  EXPECT_THROW(read_text(folder_ / "none"), DataError);
}

TEST_F(FilesTest, ReplaceFolderExchangesTheContent) {
  make_folder(folder_ / "target", "old");
  make_folder(staging_path(folder_ / "target"), "new");

  replace_folder(staging_path(folder_ / "target"), folder_ / "target");

  EXPECT_EQ(read_text(folder_ / "target" / "content"), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, WhatAKillLeftIsBroughtBackOrRemovedAndNothingElse) {
  make_folder(folder_ / "target.old", "old");
  make_folder(folder_ / "target.tmp-123", "half-made");
  make_folder(folder_ / "target.tmp-abc", "not ours");
  make_folder(folder_ / "mine.tmp-123", "not ours");

  recover_folder(folder_ / "target");
  remove_staged(folder_, [](const std::string& name) { return name == "target"; });

  EXPECT_EQ(read_text(folder_ / "target" / "content"), "old");
  EXPECT_EQ(entries(), 3u);
  EXPECT_TRUE(fs::exists(folder_ / "target.tmp-abc"));
  EXPECT_TRUE(fs::exists(folder_ / "mine.tmp-123"));
}

TEST_F(FilesTest, RecoverPrefersTheFolderThatIsInPlace) {
  make_folder(folder_ / "target", "new");
  make_folder(folder_ / "target.old", "old");

  recover_folder(folder_ / "target");

  EXPECT_EQ(read_text(folder_ / "target" / "content"), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, LinesAreCountedAndCutBack) {
  {
    LineFile file(folder_ / "log");
    for (const char* line : {"a", "bb", "ccc"}) file.append(line);
  }
  std::ofstream(folder_ / "log", std::ios::app)
      << "torn";  // an incomplete line, as a killed process leaves it
  LineFile again(folder_ / "log");
  EXPECT_EQ(again.lines(), 3);

  again.truncate(2);
  again.append("d");

  EXPECT_EQ(read_text(folder_ / "log"), "a\nbb\nd\n");
  EXPECT_EQ(again.lines(), 3);
  EXPECT_THROW(again.truncate(4), DataError);
}

TEST_F(FilesTest, ASecondProcessCannotTakeTheLockAndItDiesWithItsHolder) {
  const pid_t child = ::fork();
  if (child == 0) {
    FolderLock lock(folder_);
    std::ofstream(folder_ / "held") << "x";
    ::pause();
    ::_exit(0);
  }
  while (!fs::exists(folder_ / "held")) ::usleep(1000);

  EXPECT_THROW(FolderLock second(folder_), ConfigError);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(FolderLock third(folder_));
}

TEST(ShredTest, AFolderAndItsFilesAreGoneAndAHardLinkShowsThatTheyWereOverwritten) {
  const test::Scratch scratch;
  std::filesystem::create_directories(scratch.path() / "folder" / "below");
  const auto file = scratch.path() / "folder" / "below" / "file";
  write_atomically(file, "secret");
  std::filesystem::create_hard_link(file, scratch.path() / "link");

  shred(scratch.path() / "folder");
  shred(scratch.path() / "missing");

  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "folder"));
  EXPECT_EQ(read_text(scratch.path() / "link"), std::string(6, '\0'));
}

}  // namespace
}  // namespace lethe
