// Tests of datasets through the executable: checking, preparing and training on a folder of images.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "lethe/core/files.h"
#include "lethe/core/sha256.h"
#include "tests/support/image_files.h"
#include "tests/support/mask_files.h"
#include "tests/support/process.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

// Two classes with eight training and two test images each, and a configuration next to them.
class DataCommandTest : public testing::Test {
 protected:
  DataCommandTest() {
    for (int i = 0; i < 8; ++i) {
      const auto name = std::to_string(i) + ".png";
      write_noise(scratch_.path() / "set/train/big dog" / name, i, 40, 50 + i);
      write_noise(scratch_.path() / "set/train/cat" / name, 20 + i, 50 + i, 40);
    }
    for (int i = 0; i < 2; ++i) {
      write_noise(scratch_.path() / "set/test/big dog" / (std::to_string(i) + ".png"), i, 40, 40);
      write_noise(scratch_.path() / "set/test/cat" / (std::to_string(i) + ".png"), 9, 40, 40);
    }
    std::ofstream(config()) << "[data]\nname = 'image_folder'\nroot = 'set'\nsize = 32\n"
                               "[stream]\ntasks = [['cat'], ['big dog']]\n"
                               "[[requests]]\nclasses = ['cat']\nbefore_task = 2\n"
                               "[model]\nwidth = 16\n[train]\nepochs = 2\nbatch = 4\n";
  }
  std::string config() const { return scratch_ / "pets.toml"; }

  // The hash of the last model of a run, and its matrix.csv.
  std::string result(const std::string& run) const {
    const auto folder = scratch_.path() / run;
    return sha256_of_file(folder / "versions/002-learn/model.safetensors") +
           read_text(folder / "matrix.csv");
  }

  Scratch scratch_;
};

TEST_F(DataCommandTest, APreparedDatasetGivesABitIdenticalRun) {
  const auto plain = lethe({"run", config(), "--out", scratch_ / "plain", "--threads", "1"});
  ASSERT_EQ(plain.status, 0) << plain.err;

  const auto prepared = lethe({"data", "prepare", config(), "--out", scratch_ / "ready"});
  ASSERT_EQ(prepared.status, 0) << prepared.err;
  EXPECT_NE(prepared.out.find("16 training and 4 test images"), std::string::npos) << prepared.out;
  fs::remove_all(scratch_.path() / "set");
  const auto fast = lethe({"run", config(), "--out", scratch_ / "fast", "--threads", "1", "--set",
                           "data.prepared=" + (scratch_ / "ready")});

  ASSERT_EQ(fast.status, 0) << fast.err;
  EXPECT_EQ(result("fast"), result("plain"));
}

TEST_F(DataCommandTest, CheckCountsImagesAndWritesASheet) {
  const auto outcome =
      lethe({"data", "check", scratch_ / "set", "--sheet", scratch_ / "sheet.png"});

  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("image_folder: 2 classes, 3x32x32, 16 training"), std::string::npos)
      << outcome.out;
  EXPECT_GT(read_image(scratch_.path() / "sheet.png").size(1), 200);
}

TEST_F(DataCommandTest, CheckRefusesAPlanWithATaskThatHasNoImageAsTheRunDoes) {
  fs::remove_all(scratch_.path() / "set/train/big dog");

  const auto check = lethe({"data", "check", config()});
  const auto run = lethe({"run", config(), "--out", scratch_ / "run"});

  const std::string expected = "error: task 2: no training image contains big dog\n";
  EXPECT_EQ(check.status, 3) << check.out;
  EXPECT_NE(check.err.find(expected), std::string::npos) << check.err;
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find(expected), std::string::npos) << run.err;
}

TEST_F(DataCommandTest, CheckNamesEveryBadImageAndWhatToDo) {
  std::ofstream(scratch_.path() / "set/train/cat/3.png") << "no image";
  std::ofstream(scratch_.path() / "set/test/cat/1.png") << "neither";

  const auto strict = lethe({"data", "check", config()});
  const auto lenient = lethe({"data", "check", config(), "--set", "data.undecodable=skip"});

  EXPECT_EQ(strict.status, 3);
  for (const auto* part : {"train/cat/3.png", "test/cat/1.png", "2 images cannot be decoded",
                           "data.undecodable = \"skip\""}) {
    EXPECT_NE(strict.err.find(part), std::string::npos) << strict.err;
  }
  EXPECT_EQ(lenient.status, 0) << lenient.err;
  EXPECT_NE(lenient.err.find("1 of 16 training images is skipped"), std::string::npos)
      << lenient.err;
  EXPECT_NE(lenient.out.find("15 training, 0 held-out, 3 test images"), std::string::npos)
      << lenient.out;
}

TEST_F(DataCommandTest, AnInterruptedPreparationLeavesNoFiles) {
  // One image, listed so often that the work is not done before the signal arrives.
  std::ofstream list(scratch_.path() / "train.txt");
  for (int i = 0; i < 50'000; ++i) list << "set/train/cat/0.png cat\n";
  list.close();
  Process process({"data", "prepare", scratch_.path().string(), "--out", scratch_ / "ready",
                   "--set", "data.test_list="});
  const auto is_staged = [&] {
    for (const auto& entry : fs::directory_iterator(scratch_.path())) {
      if (staged_target(entry.path().filename()) == "ready") return true;
    }
    return false;
  };
  while (process.running() && !is_staged())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));

  process.send(SIGTERM);
  const auto outcome = process.finish();

  EXPECT_EQ(outcome.status, 128 + SIGTERM) << outcome.out;
  EXPECT_NE(outcome.err.find("stopped: nothing was prepared"), std::string::npos) << outcome.err;
  EXPECT_FALSE(is_staged());
  EXPECT_FALSE(fs::exists(scratch_.path() / "ready"));
}

// A row of the class table without padding.
std::string row(const std::string& table, const std::string& name) {
  const auto start = table.find("| " + name + " ");
  std::string text = start == std::string::npos ? "" : table.substr(start);
  text = text.substr(0, text.find('\n'));
  std::erase(text, ' ');
  return text;
}

TEST(MaskCommandTest, CheckCountsTheImagesOfEveryClassAndShowsMasks) {
  const Miniature set;
  set.add_classes();
  const auto sheet = set.root().parent_path() / "sheet.png";

  const auto outcome =
      lethe({"data", "check", set.root(), "--set", "data.crop=32", "--sheet", sheet});

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("mask_folder: 4 classes, 3x32x32, 10 training"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(row(outcome.out, "ant"), "|ant|4|0|4|") << outcome.out;
  EXPECT_EQ(row(outcome.out, "background"), "");
  // The first image is noise; with the mask of class 1 drawn over it, it is mostly red.
  const auto picture = read_image(sheet).to(at::kFloat);
  EXPECT_GT((picture[0] - picture[1]).max().item<double>(), 60);
}

TEST(MaskCommandTest, CheckNamesEveryMaskWhoseSizeDiffersFromItsImage) {
  const Miniature set;
  set.add_classes();
  for (const char* name : {"2.png", "5.png"}) {
    write_mask(set.root() / "SegmentationClass" / name, at::zeros({4, 4}, at::kByte));
  }

  const auto outcome = lethe({"data", "check", set.root()});

  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("2.png: is 4 x 4"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("5.png: is 4 x 4"), std::string::npos) << outcome.err;
}

TEST(MaskCommandTest, CheckRecognisesVocByItsFilesAndNamesAnUnknownId) {
  const Miniature set("SegmentationClassAug", "train_aug");
  const auto good = lethe({"data", "check", set.root()});
  write_mask(set.root() / "SegmentationClassAug/3.png", mask_with({21}));
  const auto bad = lethe({"data", "check", set.root()});

  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_NE(good.out.find("voc2012: 20 classes, 3x512x512, 10 training"), std::string::npos);
  const auto expected = "warning: no image contains 16 classes: bottle, bus, car, ... (13 more)\n";
  EXPECT_NE(good.err.find(expected), std::string::npos) << good.err;
  EXPECT_EQ(good.err.find("no image", good.err.find(expected) + 20), std::string::npos) << good.err;
  EXPECT_EQ(good.out.find("warning"), std::string::npos) << good.out;
  EXPECT_EQ(bad.status, 3);
  EXPECT_NE(bad.err.find("3.png: id 21 is not a class"), std::string::npos) << bad.err;
}

TEST(MaskCommandTest, CheckWritesASheetOfTheSyntheticDataset) {
  const Scratch scratch;

  const auto outcome = lethe({"data", "check", "shapes_seg", "--sheet", scratch / "sheet.png"});

  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("shapes_seg: 20 classes, 3x64x64, 1600 training"), std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace lethe::test
