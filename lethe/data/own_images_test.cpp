#include "lethe/data/own_images.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/image_files.h"

namespace lethe {
namespace {

class OwnImagesTest : public testing::Test {
 protected:
  void add(int64_t height, int64_t width) {
    const auto path = folder_.path() / (std::to_string(lists_.train.size()) + ".png");
    write_flat(path, 100, height, width);
    lists_.train.push_back({.path = path, .label = 0});
  }

  TestFolder folder_;
  ImageLists lists_;
};

TEST_F(OwnImagesTest, TheMiddleOfTheShorterSidesDecides) {
  add(28, 90);
  add(48, 60);
  add(300, 400);
  EXPECT_EQ(own_image_side(lists_), 32);

  add(49, 60);
  add(300, 400);
  EXPECT_EQ(own_image_side(lists_), 64);
}

TEST_F(OwnImagesTest, OnlyALargeDatasetOfLargeImagesGetsTheSizeOfPhotographs) {
  add(224, 300);
  EXPECT_EQ(own_image_side(lists_), 64);

  lists_.train.resize(20'000, lists_.train.front());
  EXPECT_EQ(own_image_side(lists_), 224);
}

TEST_F(OwnImagesTest, DamagedAndMissingImagesAreSkipped) {
  const auto bad = folder_.path() / "bad.png";
  std::ofstream(bad) << "no image";
  lists_.train = {{.path = bad, .label = 0}, {.path = folder_.path() / "none.png", .label = 0}};
  EXPECT_EQ(own_image_side(lists_), 64);

  add(20, 20);
  EXPECT_EQ(own_image_side(lists_), 32);
}

TEST_F(OwnImagesTest, SmallInputsArePaddedAndLargeOnesCropped) {
  EXPECT_EQ(own_image_augmentation(32).crop, Crop::kPad);
  EXPECT_EQ(own_image_augmentation(32).pad, 4);
  EXPECT_EQ(own_image_augmentation(64).pad, 8);
  EXPECT_EQ(own_image_augmentation(224).crop, Crop::kResized);
  EXPECT_EQ(own_image_augmentation(224).pad, 0);
}

}  // namespace
}  // namespace lethe
