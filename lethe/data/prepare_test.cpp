#include "lethe/data/prepare.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/data/load_data.h"
#include "lethe/data/loader.h"
#include "lethe/data/prepared.h"
#include "tests/support/image_files.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

class PrepareTest : public testing::Test {
 protected:
  PrepareTest() {
    for (int i = 0; i < 12; ++i) {
      const auto name = std::to_string(100 + i) + ".png";
      write_noise(path("set/train/big dog/" + name), i, 20 + i, 30);
      write_noise(path("set/train/cat/" + name), 50 + i, 30, 20 + i);
    }
    write_noise(path("set/test/big dog/0.png"), 80, 25, 35);
    write_noise(path("set/test/cat/0.png"), 81, 35, 25);
    options_ = {.name = "image_folder", .root = path("set").string(), .size = 14};
    prepared_ = options_;
    prepared_.prepared = out().string();
  }
  fs::path path(const std::string& name) const { return folder_.path() / name; }
  fs::path out() const { return path("ready"); }
  PrepareReport prepare(int threads = 2) const {
    return prepare_images(options_, out(), {.threads = threads});
  }
  std::string refusal(const DataOptions& options) const {
    return message_of<ConfigError>([&] { load_data(options); });
  }
  void damage(const std::string& name, std::streamoff place) const {
    std::fstream file(out() / name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(place);
    const char old = static_cast<char>(file.get());
    file.seekp(place);
    file.put(static_cast<char>(old ^ 1));
  }

  TestFolder folder_;
  DataOptions options_;
  DataOptions prepared_;
};

// All network inputs of an epoch, and the labels.
std::pair<at::Tensor, at::Tensor> epoch(const DatasetPtr& dataset,
                                        const Augmentation& augmentation) {
  std::vector<int64_t> order;
  for (int64_t i = dataset->size(); i > 0; --i) order.push_back(i - 1);
  Loader loader(dataset, order, {0, 1}, Transform(dataset->info(), augmentation),
                {.batch = 100, .threads = 2, .seed = 5, .epoch = 3});
  const auto batch = loader.next();
  return {batch->images, batch->labels};
}

TEST_F(PrepareTest, TrainingAndTestingSeeTheSameBitsWithAndWithoutIt) {
  options_.val_fraction = prepared_.val_fraction = 0.25;
  options_.train_per_class = prepared_.train_per_class = 10;

  const auto report = prepare();

  EXPECT_EQ(report.train, 24);
  EXPECT_EQ(report.test, 2);
  EXPECT_EQ(report.skipped, 0);
  EXPECT_EQ(report.bytes, static_cast<int64_t>(fs::file_size(out() / "train.bin") +
                                               fs::file_size(out() / "test.bin")));
  const auto files = load_data(options_);
  const auto ready = load_data(prepared_);
  const auto augmentation = resolve({}, find_dataset("image_folder"), 14);
  const auto expect_same = [](const auto& a, const auto& b) {
    EXPECT_TRUE(at::equal(a.first, b.first));
    EXPECT_TRUE(at::equal(a.second, b.second));
  };
  expect_same(epoch(files.train, augmentation), epoch(ready.train, augmentation));
  expect_same(epoch(files.val, {}), epoch(ready.val, {}));
  expect_same(epoch(files.test, {}), epoch(ready.test, {}));
  EXPECT_EQ(ready.test->info().class_names, (std::vector<std::string>{"big dog", "cat"}));
}

TEST_F(PrepareTest, TheFilesDoNotDependOnTheThreadsAndTheImagesAreNotNeededAfterwards) {
  prepare(1);
  prepare_images(options_, path("again"), {.threads = 3});
  for (const auto* name : {"train.bin", "test.bin", "index.json", "SHA256SUMS"}) {
    EXPECT_EQ(read_text(out() / name), read_text(path("again") / name)) << name;
  }
  fs::remove_all(path("set"));
  prepared_.root = "";

  EXPECT_EQ(load_data(prepared_).train->get(0).image.size(1), 16);
}

TEST_F(PrepareTest, ASampleOutlivesItsDataSet) {
  prepare();
  auto splits = load_data(prepared_);
  const auto image = splits.train->get(3).image;
  const auto copy = image.clone();

  splits = {};

  EXPECT_TRUE(at::equal(image, copy));
}

TEST_F(PrepareTest, AnInterruptedPreparationLeavesNothing) {
  std::atomic<int> asked = 0;
  const PrepareOptions stopping = {.threads = 2, .should_stop = [&] { return ++asked > 20; }};

  EXPECT_EQ(message_of<Interrupted>([&] { prepare_images(options_, out(), stopping); }),
            "stopped: nothing was prepared");

  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    left.push_back(entry.path().filename());
  EXPECT_EQ(left, (std::vector<std::string>{"set"}));
}

TEST_F(PrepareTest, WhatAKilledPreparationLeftIsRemoved) {
  folder_.write("ready.tmp-99999999/train.bin", {1, 2, 3});  // no process has this id
  folder_.write("other.tmp-99999999/train.bin", {1, 2, 3});

  prepare();

  EXPECT_FALSE(fs::exists(path("ready.tmp-99999999")));
  EXPECT_TRUE(fs::exists(path("other.tmp-99999999")));
}

TEST_F(PrepareTest, AnUndecodableImageStopsItOrIsLeftOut) {
  folder_.write("set/train/cat/105.png", to_bytes("no image"));
  EXPECT_TRUE(message_of<DataError>([&] {
                prepare();
              }).starts_with(path("set/train/cat/105.png").string() + ": cannot be decoded"));
  EXPECT_FALSE(fs::exists(out()));

  options_.undecodable = "skip";
  const auto report = prepare();

  EXPECT_EQ(report.skipped, 1);
  EXPECT_EQ(refusal(prepared_), "data.undecodable = \"error\", but " + out().string() +
                                    " was prepared without 1 image that cannot be decoded (the "
                                    "first: train/cat/105.png); set it to \"skip\"");
  prepared_.undecodable = "skip";
  EXPECT_TRUE(at::equal(epoch(load_data(prepared_).train, {}).first,
                        epoch(load_data(options_).train, {}).first));
}

TEST_F(PrepareTest, AnotherSetOrSizeIsRefusedWithBothValues) {
  prepare();
  const auto what_to_do = "; prepare it again, or do not set data.prepared";
  prepared_.size = 28;
  EXPECT_EQ(refusal(prepared_),
            "data.size = 28, but " + out().string() + " was prepared with 14" + what_to_do);
  prepared_.size = 0;
  EXPECT_EQ(load_data(prepared_).train->info().width, 14);
  prepared_.name = "cub200";
  EXPECT_EQ(refusal(prepared_), "data.name = cub200, but " + out().string() +
                                    " was prepared with image_folder" + what_to_do);
  prepared_ = {.name = "image_folder", .root = "/other", .size = 14, .prepared = out().string()};
  EXPECT_EQ(refusal(prepared_), "data.root = /other, but " + out().string() +
                                    " was prepared with " + options_.root + what_to_do);
  prepared_ = {.name = "shapes", .prepared = out().string()};
  EXPECT_EQ(refusal(prepared_),
            "data.prepared: only datasets of image files can be prepared; shapes is not one");
}

TEST_F(PrepareTest, DamageIsFoundByItsSum) {
  prepare();
  const auto damaged = [&](const auto& call) { return message_of<DataError>(call); };
  damage("train.bin", 5);
  EXPECT_EQ(
      damaged([&] { load_data(prepared_).train->get(0); }),
      (out() / "train.bin").string() +
          ": the pixels of train/big dog/100.png have changed since they were written; prepare "
          "the dataset again");
  EXPECT_NO_THROW(load_data(prepared_).train->get(1));

  fs::resize_file(out() / "test.bin", 100);
  EXPECT_EQ(damaged([&] { load_data(prepared_); }),
            (out() / "test.bin").string() +
                ": expected 1176 bytes, found 100; prepare the dataset again");

  damage("index.json", 30);
  EXPECT_EQ(damaged([&] { load_data(prepared_); }),
            (out() / "index.json").string() +
                ": has changed since it was written (SHA256SUMS); prepare the dataset again");
}

TEST_F(PrepareTest, AFolderWithSomethingInItIsNotTouched) {
  folder_.write("ready/precious.txt", {1});

  EXPECT_EQ(message_of<ConfigError>([&] { prepare(); }),
            out().string() + ": exists and is not empty; remove it or choose another folder");
  EXPECT_TRUE(fs::exists(out() / "precious.txt"));
}

TEST_F(PrepareTest, ASlashAtTheEndOfTheFolderIsFine) {
  prepare_images(options_, out().string() + "/", {.threads = 1});

  EXPECT_EQ(load_data(prepared_).test->size(), 2);
}

TEST_F(PrepareTest, SetsThatAreReadWholeAreNotPrepared) {
  EXPECT_THROW(prepare_images({.name = "shapes"}, out(), {}), ConfigError);
}

}  // namespace
}  // namespace lethe
