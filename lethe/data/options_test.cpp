#include "lethe/data/options.h"

#include <gtest/gtest.h>

#include <set>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

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

}  // namespace
}  // namespace lethe
