#include "lethe/data/image_files.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/data/load_data.h"
#include "lethe/data/loader.h"
#include "lethe/data/options.h"
#include "lethe/data/resample.h"
#include "tests/support/image_files.h"

namespace lethe {
namespace {

// Two classes with three training images and one test image each, of different sizes.
class ImageFilesTest : public testing::Test {
 protected:
  ImageFilesTest() {
    for (int i = 0; i < 3; ++i) {
      write_noise(path("train/a/" + std::to_string(i) + ".png"), i, 20 + i, 30);
      write_noise(path("train/b/" + std::to_string(i) + ".png"), 10 + i, 40, 21 + i);
    }
    write_noise(path("test/a/0.png"), 20, 25, 35);
    write_noise(path("test/b/0.png"), 21, 35, 25);
    options_ = {.name = "image_folder", .root = folder_.path().string(), .size = 14};
  }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  TestFolder folder_;
  DataOptions options_;
};

TEST_F(ImageFilesTest, TrainingKeepsProportionsAndTestingDoesNot) {
  const auto splits = load_data(options_);

  EXPECT_EQ(splits.train->info().height, 14);
  EXPECT_EQ(splits.train->info().width, 14);
  EXPECT_EQ(splits.train->get(0).image.sizes(), (std::vector<int64_t>{3, 16, 24}));
  EXPECT_EQ(splits.train->get(3).image.sizes(), (std::vector<int64_t>{3, 30, 16}));
  EXPECT_EQ(splits.test->get(1).image.sizes(), (std::vector<int64_t>{3, 14, 14}));
  EXPECT_TRUE(
      at::equal(splits.test->get(1).image, resample(read_image(path("test/b/0.png")), 14, 14)));
  EXPECT_EQ(splits.train->labels_of(3), (std::vector<int64_t>{1}));
}

TEST_F(ImageFilesTest, WithoutASizeSmallImagesOfYourOwnGet32Pixels) {
  options_.size = 0;
  const auto splits = load_data(options_);

  EXPECT_EQ(splits.test->info().width, 32);
  EXPECT_EQ(splits.test->get(0).image.sizes(), (std::vector<int64_t>{3, 32, 32}));
  EXPECT_EQ(splits.train->get(0).image.size(1), 37);  // 32 * 256 / 224
  resolve(options_, splits.train->info());
  EXPECT_EQ(options_.size, 32);
}

TEST_F(ImageFilesTest, HeldOutImagesAreBroughtToTheSizeOfTheNetworkByTheTransform) {
  options_.val_fraction = 0.34;
  const auto splits = load_data(options_);
  ASSERT_EQ(splits.val->size(), 2);
  std::vector<float> out(size_t{3} * 14 * 14);

  Transform(splits.val->info()).apply(splits.val->get(0), nullptr, out.data());

  const auto image = resample(splits.val->get(0).image, 14, 14);
  EXPECT_NEAR(out[0], (image[0][0][0].item<int>() / 255.0 - 0.485) / 0.229, 1e-5);
}

TEST_F(ImageFilesTest, BatchesDoNotDependOnTheThreads) {
  const auto splits = load_data(options_);
  const auto augmentation = resolve({}, find_dataset("image_folder"), 14);
  const auto first_batch = [&](int threads) {
    Loader loader(splits.train, {5, 0, 3, 1}, {0, 1}, Transform(splits.train->info(), augmentation),
                  {.batch = 4, .threads = threads, .seed = 3, .epoch = 2});
    return loader.next()->images;
  };

  const auto images = first_batch(0);

  EXPECT_EQ(images.sizes(), (std::vector<int64_t>{4, 3, 14, 14}));
  EXPECT_TRUE(at::equal(images, first_batch(2)));
}

TEST_F(ImageFilesTest, AnUndecodableImageIsAnErrorThatNamesIt) {
  folder_.write("train/a/1.png", to_bytes("no image"));

  const auto splits = load_data(options_);

  EXPECT_EQ(message_of<DataError>([&] { splits.train->get(1); }),
            path("train/a/1.png").string() +
                ": cannot be decoded: it is damaged, or not JPEG, PNG, WebP or BMP");
  EXPECT_EQ(undecodable_images(options_).size(), 1);
}

TEST_F(ImageFilesTest, SkippingLeavesOutWhatIsUndecodableAndSaysHowMany) {
  folder_.write("train/a/1.png", to_bytes("no image"));
  folder_.write("train/b/2.png", {});
  options_.undecodable = "skip";
  DataSplits splits;

  const auto said = warnings_of([&] { splits = load_data(options_); });

  EXPECT_NE(said.find("2 of 6 training images are skipped"), std::string::npos);
  EXPECT_NE(said.find(path("train/b/2.png").string() + ": cannot be decoded"), std::string::npos);
  ASSERT_EQ(splits.train->size(), 4);
  EXPECT_TRUE(at::equal(splits.train->get(1).image,
                        read_stored(path("train/a/2.png"), stored_for_training(14))));
  EXPECT_EQ(splits.train->get(3).label, 1);
  EXPECT_EQ(splits.test->size(), 2);
}

}  // namespace
}  // namespace lethe
