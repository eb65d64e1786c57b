#include "lethe/data/load_data.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "lethe/core/error.h"
#include "lethe/data/shapes.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

std::map<int64_t, int64_t> images_per_class(const Dataset& dataset) {
  std::map<int64_t, int64_t> counts;
  for (int64_t i = 0; i < dataset.size(); ++i) ++counts[dataset.labels_of(i).front()];
  return counts;
}

// The bytes of every image, to identify the images of a split.
std::vector<std::string> contents(const Dataset& dataset) {
  std::vector<std::string> result;
  for (int64_t i = 0; i < dataset.size(); ++i) {
    const auto image = dataset.get(i).image;
    result.emplace_back(reinterpret_cast<const char*>(image.data_ptr<uint8_t>()),
                        static_cast<size_t>(image.numel()));
  }
  return result;
}

// Writes CIFAR-10 files with the given training labels; image i is filled with i.
void write_cifar10(const TestFolder& folder, const Bytes& labels) {
  Bytes train;
  for (size_t i = 0; i < labels.size(); ++i) {
    train.push_back(labels[i]);
    train.resize(train.size() + 3072, static_cast<uint8_t>(i));
  }
  Bytes one(3073, 0);
  folder.write("data_batch_1.bin", train);
  for (const auto* name : {"data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
                           "data_batch_5.bin", "test_batch.bin"}) {
    one[0] = 9;
    folder.write(name, one);
  }
}

TEST(LoadDataTest, TrainPerClassTakesTheFirstOfEveryClassOfTheTrainingSplitOnly) {
  const TestFolder folder;
  write_cifar10(folder, {3, 3, 0, 3, 0, 0});  // and 9 four times, in the other files

  const auto splits =
      load_data({.name = "cifar10", .root = folder.path().string(), .train_per_class = 2});

  std::vector<int> kept;
  for (int64_t i = 0; i < splits.train->size(); ++i) {
    if (splits.train->get(i).label == 9) continue;
    kept.push_back(splits.train->get(i).image[0][0][0].item<int>());
  }
  EXPECT_EQ(kept, (std::vector<int>{0, 1, 2, 4}));
  EXPECT_EQ(images_per_class(*splits.train), (std::map<int64_t, int64_t>{{0, 2}, {3, 2}, {9, 2}}));
  EXPECT_EQ(splits.test->size(), 1);
  EXPECT_EQ(splits.val, nullptr);
}

TEST(LoadDataTest, TestImagesCanBeLimitedLikeTrainingImages) {
  const auto splits = load_data({.name = "shapes", .train_per_class = 3, .test_per_class = 2});
  EXPECT_EQ(splits.train->size(), 36);
  EXPECT_EQ(splits.test->size(), 24);
}

TEST(LoadDataTest, HeldOutImagesAreAFixedPartOfEveryClass) {
  const DataOptions options = {.name = "shapes", .train_per_class = 20, .val_fraction = 0.2};
  const auto all = load_data({.name = "shapes", .train_per_class = 20});

  const auto splits = load_data(options);

  for (int64_t label = 0; label < kShapesClasses; ++label) {
    EXPECT_EQ(images_per_class(*splits.train)[label], 16);
    EXPECT_EQ(images_per_class(*splits.val)[label], 4);
  }
  auto together = contents(*splits.train);
  for (auto& image : contents(*splits.val)) together.push_back(std::move(image));
  auto expected = contents(*all.train);
  std::sort(together.begin(), together.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(together, expected);
  EXPECT_EQ(contents(*load_data(options).val), contents(*splits.val));
  EXPECT_EQ(splits.test->size(), all.test->size());
}

TEST(LoadDataTest, OneImageOfAClassStaysOnEachSideWhereItHasTwo) {
  const TestFolder folder;
  write_cifar10(folder, {0, 1, 1, 2, 2, 2});
  for (const double fraction : {0.01, 0.99}) {
    const auto splits =
        load_data({.name = "cifar10", .root = folder.path().string(), .val_fraction = fraction});
    auto train = images_per_class(*splits.train);
    auto val = images_per_class(*splits.val);

    EXPECT_EQ(train[0], 1);  // a single image is used for training
    EXPECT_EQ(val[0], 0);
    EXPECT_EQ(train[1], 1);
    EXPECT_EQ(val[1], 1);
    EXPECT_EQ(fraction < 0.5 ? val[2] : train[2], 1);
  }
}

TEST(LoadDataTest, SizeScalesEverySplit) {
  const auto splits =
      load_data({.name = "shapes", .size = 16, .train_per_class = 2, .val_fraction = 0.5});

  for (const auto& split : {splits.train, splits.val, splits.test}) {
    EXPECT_EQ(split->info().height, 16);
    EXPECT_EQ(split->get(0).image.sizes(), (std::vector<int64_t>{3, 16, 16}));
  }
}

TEST(LoadDataTest, TheOwnSizeOfTheSetLeavesItsPixelsAsTheyAre) {
  const auto own = load_data({.name = "shapes", .train_per_class = 1});
  const auto same = load_data({.name = "shapes", .size = 32, .train_per_class = 1});

  EXPECT_EQ(contents(*same.train), contents(*own.train));
}

TEST(LoadDataTest, AKeyThatTheDataSetDoesNotReadIsRefused) {
  const auto refusal = [](const DataOptions& options) {
    return message_of<ConfigError>([&] { load_data(options); });
  };

  EXPECT_EQ(refusal({.name = "shapes", .crop = 32}),
            "data.crop = 32: shapes does not read it; use data.size");
  EXPECT_EQ(refusal({.name = "shapes_seg", .crop = 1}),
            "data.crop = 1: too small for a network; use at least 8, or 0");
  EXPECT_EQ(refusal({.name = "shapes_seg", .size = 32}),
            "data.size = 32: shapes_seg does not read it; use data.crop");
  EXPECT_EQ(refusal({.name = "shapes", .seg_setup = "disjoint"}),
            "data.seg_setup = \"disjoint\": shapes does not read it");
  EXPECT_EQ(refusal({.name = "shapes_seg", .folder = {.saliency = "maps"}}),
            "data.saliency = \"maps\": shapes_seg does not read it");
  EXPECT_EQ(refusal({.name = "shapes_seg", .root = "/data"}),
            "data.root = \"/data\": shapes_seg does not read it: its images are generated");
  EXPECT_NE(
      refusal({.name = "shapes_seg", .prepared = "there"}).find("only datasets of image files"),
      std::string::npos);
}

TEST(LoadDataTest, DrawnMasksTakeCropSetupAndVoidFromTheOptions) {
  const auto info =
      load_data(
          {.name = "shapes_seg", .crop = 96, .seg_setup = "sequential", .void_train = "background"})
          .train->info();

  EXPECT_EQ(info.height, 96);
  EXPECT_EQ(info.mask_rules.setup, SegSetup::kSequential);
  EXPECT_TRUE(info.mask_rules.void_is_background);
}

}  // namespace
}  // namespace lethe
