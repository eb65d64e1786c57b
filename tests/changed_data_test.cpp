// Commands notice when the image files of a run were changed, added or removed, and when a file of
// the run itself was changed.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <thread>

#include "lethe/core/files.h"
#include "tests/support/image_files.h"
#include "tests/support/one_line_error.h"
#include "tests/support/process.h"
#include "tests/support/run_record.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

// Changes one bit in the middle of a file, or at a given place.
void change(const fs::path& file, std::optional<size_t> place = {}) {
  auto bytes = read_text(file);
  auto& byte = bytes.at(place.value_or(bytes.size() / 2));
  byte = static_cast<char>(byte ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
}

// One finished run for all tests; each has a copy of it and of its images.
class ChangedDataTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new Scratch();
    int seed = 0;
    for (const char* name : {"ant", "bee", "cat", "dog"}) {
      for (int i = 0; i < 6; ++i)
        write_noise(original() / "train" / name / (std::to_string(i) + ".png"), ++seed, 32, 32);
      for (int i = 0; i < 3; ++i)
        write_noise(original() / "test" / name / (std::to_string(i) + ".png"), ++seed, 32, 32);
    }
    fs::copy(original(), images(), fs::copy_options::recursive);
    std::ofstream(config()) << "[data]\nname = 'image_folder'\nroot = 'set'\nsize = 32\n"
                               "[stream]\ntasks = [2, 2]\n"
                               "[[requests]]\nclasses = ['ant']\nbefore_task = 2\n"
                               "[model]\nwidth = 16\n[method]\nname = 'contrastive'\n"
                               "[method.contrastive]\ncls_source = 'codes'\n"
                               "[train]\nepochs = 2\nbatch = 4\ncheckpoint_steps = 1\n"
                               "[forget]\nmargin = 0.99\nkept_fall = 1\nmean_fall = 1\n";
    const auto outcome = lethe(command(shared_->path() / "run"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }

  ChangedDataTest() {
    fs::remove_all(images());
    fs::copy(original(), images(), fs::copy_options::recursive);
    fs::copy(shared_->path() / "run", run_, fs::copy_options::recursive);
  }

  static fs::path original() { return shared_->path() / "original"; }
  static fs::path images() { return shared_->path() / "set"; }
  static std::string config() { return *shared_ / "pets.toml"; }
  static std::vector<std::string> command(const fs::path& out,
                                          const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"run", config(), "--out", out.string(), "--threads", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Outcome eval() const { return lethe({"eval", run_.string(), "--threads", "1"}); }
  Outcome forget() const {
    return lethe({"forget", run_.string(), "--classes", "dog", "--steps", "1", "--threads", "1"});
  }

  // Changes, removes and adds one image. Every time the check gets what a command must say of it.
  template <class Check>
  void with_changes(const std::string& image, const Check& check) const {
    const auto file = images() / image;
    const auto away = scratch_.path() / "away";
    const auto added = fs::path(image).replace_filename("new.png").string();
    const auto whole = read_text(file);
    change(file);
    check(image + " was changed");
    std::ofstream(file, std::ios::binary) << whole;
    fs::rename(file, away);
    check(image + " is missing");
    fs::rename(away, file);
    fs::copy_file(file, images() / added);
    check(added + " was added");
    fs::remove(images() / added);
  }

  static Scratch* shared_;
  Scratch scratch_;
  fs::path run_ = scratch_.path() / "run";
};

Scratch* ChangedDataTest::shared_ = nullptr;

TEST_F(ChangedDataTest, EvalAndForgetNameATestImageThatWasChangedAddedOrRemoved) {
  const auto before = files_of(run_);

  with_changes("test/bee/1.png", [&](const std::string& what) {
    expect_one_line_error(eval(), 3, what);
    expect_one_line_error(forget(), 3, what);
  });

  EXPECT_EQ(files_of(run_), before);
  EXPECT_EQ(eval().status, 0);  // the same bytes, another time
}

TEST_F(ChangedDataTest, ImagesOfForgottenClassesAndPastTasksMayBeGone) {
  fs::remove_all(images() / "train" / "ant");
  fs::remove_all(images() / "test" / "ant");
  fs::remove(images() / "train" / "bee" / "0.png");

  const auto evaluated = eval();
  EXPECT_EQ(evaluated.status, 0) << evaluated.out << evaluated.err;
  EXPECT_NE(evaluated.err.find("this command does not need them"), std::string::npos)
      << evaluated.err;
  // A finished run reads no image.
  const auto resumed = lethe(command(run_, {"--resume"}));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(lethe({"verify", run_.string()}).status, 0);
  const auto forgotten = forget();
  EXPECT_EQ(forgotten.status, 0) << forgotten.out << forgotten.err;
}

TEST_F(ChangedDataTest, ARequestWithTheRunsOwnImagesNamesATrainingImageThatWasChangedOrAdded) {
  const auto before = files_of(run_);
  const std::vector<std::string> request = {
      "forget", run_.string(),  "--classes", "dog", "--data",    images().string(),
      "--set",  "data.size=32", "--epochs",  "1",   "--threads", "1"};
  auto plan = request;
  plan.emplace_back("--dry-run");

  with_changes("train/bee/1.png", [&](const std::string& what) {
    if (what.ends_with("is missing")) {
      const auto shown = lethe(plan);
      EXPECT_EQ(shown.status, 0) << shown.err;
      EXPECT_NE(shown.err.find("1 file of the run is gone (the first: train/bee/1.png)"),
                std::string::npos)
          << shown.err;
    } else {
      expect_one_line_error(lethe(plan), 3, what);
      expect_one_line_error(lethe(request), 3, what);
    }
  });
  EXPECT_EQ(files_of(run_), before);

  // Copies of images of the class, and its folder with another case, would be used unnoticed.
  fs::create_directories(images() / "train" / "any");
  fs::copy_file(images() / "train" / "dog" / "0.png", images() / "train" / "any" / "a.png");
  expect_one_line_error(lethe(request), 2, "train/any/a.png is a copy of train/dog/0.png");
  fs::rename(images() / "train" / "any", images() / "train" / "Dog");
  expect_one_line_error(lethe(request), 2, "differ only in upper and lower case");
  EXPECT_EQ(files_of(run_), before);
}

TEST_F(ChangedDataTest, ARequestIsPossibleWithoutTestImagesOfTheClass) {
  fs::remove_all(images() / "train" / "dog");
  fs::remove_all(images() / "test" / "dog");

  const auto forgotten = forget();

  EXPECT_EQ(forgotten.status, 0) << forgotten.out << forgotten.err;
  EXPECT_NE(forgotten.out.find("not measured"), std::string::npos) << forgotten.out;
  EXPECT_NE(forgotten.out.find("erased from the model: dog"), std::string::npos) << forgotten.out;
}

TEST_F(ChangedDataTest, VerifyNamesChangedImagesAndAReplayWithoutThemIsNotComparable) {
  fs::remove_all(images() / "train" / "ant");

  const auto verified = lethe({"verify", run_.string(), "--replay", "--threads", "1"});

  EXPECT_EQ(verified.status, 0) << verified.out;
  EXPECT_NE(verified.out.find("6 image files are not as recorded (the first: train/ant/0.png is "
                              "missing)"),
            std::string::npos)
      << verified.out;
  EXPECT_NE(verified.out.find("event 1: not comparable"), std::string::npos) << verified.out;
}

TEST_F(ChangedDataTest, PurgeRemovesTheListsOfImagesOnlyIfAsked) {
  const auto lists = run_ / "data";
  ASSERT_EQ(lethe({"purge", run_.string(), "--apply"}).status, 0);
  EXPECT_FALSE(fs::is_empty(lists));
  EXPECT_EQ(lethe({"purge", run_.string(), "--file-lists"}).status, 0);
  EXPECT_FALSE(fs::is_empty(lists));

  ASSERT_EQ(lethe({"purge", run_.string(), "--file-lists", "--apply"}).status, 0);

  EXPECT_TRUE(fs::is_empty(lists));
  const auto verified = lethe({"verify", run_.string()});
  EXPECT_EQ(verified.status, 0) << verified.out;
  write_noise(images() / "test/bee/1.png", 1000, 32, 32);
  const auto evaluated = eval();
  EXPECT_EQ(evaluated.status, 0) << evaluated.err;
  EXPECT_NE(evaluated.err.find("so changed images cannot be noticed"), std::string::npos);
}

TEST_F(ChangedDataTest, ResumeNamesAnImageOfATaskThatIsLeft) {
  const auto run = scratch_.path() / "half";
  // So many epochs that the second task never ends before the kill.
  const std::vector<std::string> long_task = {"--set", "train.epochs_next=1000"};
  {
    Process process(command(run, long_task));
    while (process.running() && !fs::exists(run / "versions" / "001-learn"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    process.send(SIGKILL);
    process.finish();
  }
  auto resume = command(run, long_task);
  resume.emplace_back("--resume");
  change(images() / "train" / "bee" / "0.png");  // learned already
  const auto before = files_of(run);

  const auto check = [&](const std::string& what) {
    expect_one_line_error(lethe(resume), 3, what + " since the run recorded it");
  };
  with_changes("train/cat/2.png", check);
  with_changes("test/bee/1.png", check);

  EXPECT_EQ(files_of(run), before);
}

// What every command that builds on a run says of a file of the run that was changed.
class ChangedRunTest : public ChangedDataTest {
 protected:
  void expect_named(const std::string& file) const {
    SCOPED_TRACE(file);
    const auto before = files_of(run_);
    for (const auto& outcome :
         {lethe({"verify", run_.string()}), eval(), forget(), lethe(command(run_, {"--resume"}))}) {
      const auto said = outcome.out + outcome.err;
      EXPECT_NE(outcome.status, 0) << said;
      EXPECT_NE(said.find(file), std::string::npos) << said;
      EXPECT_EQ(files_of(run_), before) << said;
    }
  }
};

TEST_F(ChangedRunTest, EveryCommandNamesAFileInWhichAByteWasChangedAndWritesNothing) {
  int files = 0;
  for (const auto& [name, whole] : files_of(run_)) {
    if (whole.empty()) continue;  // the lock
    change(run_ / name);
    expect_named(name);
    fs::remove_all(run_);
    fs::copy(shared_->path() / "run", run_, fs::copy_options::recursive);
    ++files;
  }
  EXPECT_GE(files, 12);
}

// Without its last newline the last line looks as if a process was killed while writing it.
TEST_F(ChangedRunTest, EveryCommandNamesALedgerWithoutItsLastNewline) {
  const auto ledger = run_ / "ledger.jsonl";
  change(ledger, fs::file_size(ledger) - 1);

  expect_named("ledger.jsonl");
}

TEST_F(ChangedDataTest, AFileThatAPendingEventDoesNotWriteIsStillCompared) {
  std::ofstream(run_ / "pending.json") << "{}";
  EXPECT_EQ(lethe({"verify", run_.string()}).status, 0);
  change(run_ / "features.json");

  const auto verified = lethe({"verify", run_.string()});

  EXPECT_EQ(verified.status, 4) << verified.out;
  EXPECT_NE(verified.out.find("features.json: was changed"), std::string::npos) << verified.out;
  expect_one_line_error(lethe({"verify", run_.string(), "--head", ""}), 2,
                        "is not a hash of 64 hexadecimal digits");
}

}  // namespace
}  // namespace lethe::test
