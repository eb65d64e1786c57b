// Commands notice when the image files of a run were changed, added or removed.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "lethe/core/files.h"
#include "tests/support/image_files.h"
#include "tests/support/one_line_error.h"
#include "tests/support/process.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

class ChangedDataTest : public testing::Test {
 protected:
  ChangedDataTest() {
    int seed = 0;
    for (const char* name : {"ant", "bee", "cat", "dog"}) {
      for (int i = 0; i < 6; ++i)
        write_noise(images_ / "train" / name / (std::to_string(i) + ".png"), ++seed, 32, 32);
      for (int i = 0; i < 3; ++i)
        write_noise(images_ / "test" / name / (std::to_string(i) + ".png"), ++seed, 32, 32);
    }
    std::ofstream(config()) << "[data]\nname = 'image_folder'\nroot = 'set'\nsize = 32\n"
                               "[stream]\ntasks = [2, 2]\n"
                               "[[requests]]\nclasses = ['ant']\nbefore_task = 2\n"
                               "[model]\nwidth = 16\n[method]\nname = 'contrastive'\n"
                               "[train]\nepochs = 2\nbatch = 4\ncheckpoint_steps = 1\n"
                               "[forget]\nmargin = 0.99\nkept_fall = 1\nmean_fall = 1\n";
  }
  std::string config() const { return scratch_ / "pets.toml"; }
  std::string run() const { return scratch_ / "run"; }
  std::vector<std::string> command() const {
    return {"run", config(), "--out", run(), "--threads", "1"};
  }
  void change(const fs::path& file) const {
    auto bytes = read_text(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(file, std::ios::binary) << bytes;
  }

  Scratch scratch_;
  fs::path images_ = scratch_.path() / "set";
};

TEST_F(ChangedDataTest, EvalAndForgetNameATestImageThatWasChangedAddedOrRemoved) {
  const auto outcome = lethe(command());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_EQ(lethe({"eval", run()}).status, 0);
  const auto image = images_ / "test" / "bee" / "1.png";
  const auto whole = read_text(image);
  const auto expect_named = [&](const char* what) {
    expect_one_line_error(lethe({"eval", run()}), 3, what);
    expect_one_line_error(lethe({"forget", run(), "--classes", "dog", "--steps", "1"}), 3, what);
  };

  change(image);
  expect_named("test/bee/1.png was changed");
  std::ofstream(image, std::ios::binary) << whole;
  ASSERT_EQ(lethe({"eval", run()}).status, 0);  // the same bytes, another time

  fs::rename(image, scratch_.path() / "away");
  expect_named("test/bee/1.png is missing");
  fs::rename(scratch_.path() / "away", image);

  fs::copy_file(image, images_ / "test" / "bee" / "new.png");
  expect_named("test/bee/new.png was added");
}

TEST_F(ChangedDataTest, ImagesOfForgottenClassesAndPastTasksMayBeGone) {
  ASSERT_EQ(lethe(command()).status, 0);

  fs::remove_all(images_ / "train" / "ant");
  fs::remove_all(images_ / "test" / "ant");
  fs::remove(images_ / "train" / "bee" / "0.png");

  const auto evaluated = lethe({"eval", run()});
  EXPECT_EQ(evaluated.status, 0) << evaluated.out << evaluated.err;
  EXPECT_NE(evaluated.err.find("this command does not read them"), std::string::npos)
      << evaluated.err;
  const auto forgotten = lethe({"forget", run(), "--classes", "dog", "--steps", "1"});
  EXPECT_EQ(forgotten.status, 0) << forgotten.out << forgotten.err;
}

TEST_F(ChangedDataTest, ResumeNamesATrainingImageOfATaskThatIsLeft) {
  {
    Process process(command());
    while (process.running() && !fs::exists(fs::path(run()) / "versions" / "001-learn"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    process.send(SIGKILL);
    process.finish();
  }
  auto resume = command();
  resume.emplace_back("--resume");
  change(images_ / "train" / "bee" / "0.png");  // learned already, if the event was complete
  change(images_ / "train" / "cat" / "2.png");

  expect_one_line_error(lethe(resume), 3, " was changed since the run recorded it");
}

}  // namespace
}  // namespace lethe::test
