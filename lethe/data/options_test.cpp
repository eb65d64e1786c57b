#include "lethe/data/options.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

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

TEST(DataOptionsTest, EveryKeyIsReadFromAConfiguration) {
  DataOptions data;
  AugmentOptions augment;
  auto fields = config_fields(data);
  for (auto& field : config_fields(augment)) fields.push_back(field);

  ConfigText::from_string(R"(
    [data]
    name = "shapes"
    root = "/some/where"
    size = 64
    train_per_class = 10
    val_fraction = 0.25
    normalize = "imagenet"
    threads = 3
    undecodable = "skip"
    test_fraction = 0.5
    train_list = "a.txt"
    test_list = ""
    prepared = "/fast/disk"
    crop = 321
    seg_setup = "disjoint"
    void_train = "background"
    saliency = "/maps"
    images = "a"
    masks = "b"
    train_names = "c"
    test_names = "d"
    classes = "e"
    mask_colours = "f"
    void = 254
    cooccurrence = 0.4
    [aug]
    seg = "true_scale"
    crop = "pad"
    pad = 1
    flip = true
    rotation = 5.0
  )",
                          "test")
      .apply(fields);

  EXPECT_EQ(data.name, "shapes");
  EXPECT_EQ(data.root, "/some/where");
  EXPECT_EQ(data.size, 64);
  EXPECT_EQ(data.train_per_class, 10);
  EXPECT_EQ(data.val_fraction, 0.25);
  EXPECT_EQ(data.normalize, "imagenet");
  EXPECT_EQ(data.threads, 3);
  EXPECT_EQ(data.undecodable, "skip");
  EXPECT_EQ(data.test_fraction, 0.5);
  EXPECT_EQ(data.train_list, "a.txt");
  EXPECT_EQ(data.test_list, "");
  EXPECT_EQ(data.prepared, "/fast/disk");
  EXPECT_EQ(data.crop, 321);
  EXPECT_EQ(data.seg_setup, "disjoint");
  EXPECT_EQ(data.void_train, "background");
  EXPECT_EQ(data.folder.saliency, "/maps");
  EXPECT_EQ(data.folder.images, "a");
  EXPECT_EQ(data.folder.masks, "b");
  EXPECT_EQ(data.folder.train_names, "c");
  EXPECT_EQ(data.folder.test_names, "d");
  EXPECT_EQ(data.folder.classes, "e");
  EXPECT_EQ(data.folder.colours, "f");
  EXPECT_EQ(data.folder.void_id, 254);
  EXPECT_EQ(data.shapes_seg.cooccurrence, 0.4);
  EXPECT_EQ(augment.seg, "true_scale");
  EXPECT_EQ(augment.crop, "pad");
  EXPECT_EQ(augment.pad, 1);
  EXPECT_EQ(augment.flip, true);
  EXPECT_EQ(augment.rotation, 5.0);
}

TEST(DataOptionsTest, TestImagesCanBeLimitedLikeTrainingImages) {
  const auto splits = load_data({.name = "shapes", .train_per_class = 3, .test_per_class = 2});
  EXPECT_EQ(splits.train->size(), 36);
  EXPECT_EQ(splits.test->size(), 24);
}

TEST(DataOptionsTest, ValuesOutOfRangeAreRefused) {
  for (const auto* toml : {"data.name = 'shape'", "data.size = -1", "data.train_per_class = -1",
                           "data.val_fraction = 1.0", "data.threads = -1",
                           "data.undecodable = 'no'", "data.test_fraction = 0.0"}) {
    DataOptions data;
    EXPECT_THROW(ConfigText::from_string(toml, "test").apply(config_fields(data)), ConfigError)
        << toml;
  }
  for (const auto* toml : {"aug.pad = -1", "aug.rotation = 200.0", "aug.crop = 'all'"}) {
    AugmentOptions augment;
    EXPECT_THROW(ConfigText::from_string(toml, "test").apply(config_fields(augment)), ConfigError)
        << toml;
  }
}

TEST(DatasetListTest, EveryEntryIsFoundByItsNameAndTheDefaultIsOneOfThem) {
  std::set<std::string> names;
  for (const auto& entry : builtin_datasets()) {
    EXPECT_EQ(&find_dataset(entry.name), &entry);
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_EQ(entry.reads("data.root"), !entry.name.starts_with("shapes")) << entry.name;
    names.insert(entry.name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"cars", "cifar10", "cifar100", "cub200", "fashion_mnist",
                                          "image_folder", "image_list", "mask_folder", "shapes",
                                          "shapes_seg", "voc2012"}));
  EXPECT_TRUE(names.contains(DataOptions{}.name));
}

TEST(DatasetListTest, AMisspeltNameOffersTheNearest) {
  EXPECT_EQ(
      message_of<ConfigError>([] { find_dataset("cifar1000"); }),
      "data.name: unknown dataset 'cifar1000'; did you mean 'cifar100'? known: "
      "fashion_mnist, cifar10, "
      "cifar100, shapes, cub200, cars, image_folder, image_list, voc2012, mask_folder, shapes_seg");
}

TEST(AugmentOptionsTest, WhatIsNotSetIsWhatTheDataSetSays) {
  const auto& cifar = find_dataset("cifar100");

  const auto automatic = resolve({}, cifar, 32);
  const auto given = resolve({.pad = 0, .flip = false, .rotation = {}}, cifar, 32);
  const auto birds = resolve({}, find_dataset("cub200"), 32);

  EXPECT_EQ(automatic.pad, 4);
  EXPECT_TRUE(automatic.flip);
  EXPECT_EQ(automatic.rotation, 15);
  EXPECT_EQ(given.pad, 0);
  EXPECT_FALSE(given.flip);
  EXPECT_EQ(given.rotation, 15);
  EXPECT_EQ(automatic.crop, Crop::kPad);
  EXPECT_EQ(birds.crop, Crop::kResized);
  EXPECT_EQ(birds.pad, 0);
  EXPECT_TRUE(birds.flip);
  EXPECT_EQ(birds.rotation, 0);
}

TEST(AugmentOptionsTest, TheCropCanBeChosenAndExcludesPadding) {
  const auto& cifar = find_dataset("cifar100");
  const auto& birds = find_dataset("cub200");

  EXPECT_EQ(resolve({.crop = "resized"}, cifar, 32).crop, Crop::kResized);
  EXPECT_EQ(resolve({.crop = "resized"}, cifar, 32).pad, 0);
  EXPECT_EQ(resolve({.crop = "none"}, cifar, 32).pad, 0);
  EXPECT_EQ(resolve({.crop = "pad", .pad = 9}, birds, 32).pad, 9);
  EXPECT_EQ(message_of<ConfigError>([&] { resolve({.pad = 4}, birds, 32); }),
            "aug.pad = 4: needs aug.crop = \"pad\"; here it is \"resized\"");
  EXPECT_EQ(message_of<ConfigError>([&] { resolve({.crop = "pad"}, birds, 32); }),
            "aug.crop = \"pad\": cub200 has no default padding; set aug.pad");
}

TEST(AugmentOptionsTest, MasksHaveTheirOwnKey) {
  const auto& voc = find_dataset("voc2012");
  const auto& shapes = find_dataset("shapes_seg");

  EXPECT_EQ(resolve({}, voc, 32).crop, Crop::kArea);
  EXPECT_TRUE(resolve({}, voc, 32).flip);
  EXPECT_EQ(resolve({}, shapes, 32).crop, Crop::kPad);
  EXPECT_EQ(resolve({.seg = "true_scale"}, voc, 32).crop, Crop::kScale);
  EXPECT_EQ(resolve({.seg = "area_crop"}, shapes, 32).crop, Crop::kArea);
  EXPECT_EQ(resolve({.seg = "none"}, voc, 32).crop, Crop::kPad);
  EXPECT_EQ(message_of<ConfigError>([&] { resolve({.crop = "resized"}, voc, 32); }),
            "aug.crop = \"resized\": is for classification; for voc2012 use aug.seg");
  EXPECT_EQ(message_of<ConfigError>([&] { resolve({.pad = 4}, voc, 32); }),
            "aug.pad = 4: is for classification; for voc2012 use aug.seg");
  EXPECT_EQ(
      message_of<ConfigError>([&] { resolve({.seg = "area_crop"}, find_dataset("cifar10"), 32); }),
      "aug.seg = \"area_crop\": is for segmentation; for cifar10 use aug.crop");
}

TEST(AugmentOptionsTest, WhatIsResolvedResolvesToItself) {
  for (const auto& entry : builtin_datasets()) {
    const auto once = resolve({}, entry, 64);
    const auto twice = resolve(to_options(once, entry), entry, 64);

    EXPECT_EQ(twice.crop, once.crop);
    EXPECT_EQ(twice.pad, once.pad);
    EXPECT_EQ(twice.flip, once.flip);
    EXPECT_EQ(twice.rotation, once.rotation);
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
