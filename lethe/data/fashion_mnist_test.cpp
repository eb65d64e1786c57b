#include "lethe/data/fashion_mnist.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

Bytes idx_images(uint8_t count, uint8_t side, uint8_t value) {
  Bytes bytes = {0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, side, 0, 0, 0, side};
  bytes.resize(bytes.size() + size_t{count} * side * side, value);
  return bytes;
}

Bytes idx_labels(const Bytes& labels) {
  Bytes bytes = {0, 0, 8, 1, 0, 0, 0, static_cast<uint8_t>(labels.size())};
  for (const uint8_t label : labels) bytes.push_back(label);
  return bytes;
}

class FashionMnistTest : public testing::Test {
 protected:
  FashionMnistTest() {
    folder_.write("train-images-idx3-ubyte", idx_images(3, 28, 200));
    folder_.write("train-labels-idx1-ubyte", idx_labels({9, 0, 4}));
    folder_.write("t10k-images-idx3-ubyte", idx_images(1, 28, 100));
    folder_.write("t10k-labels-idx1-ubyte", idx_labels({1}));
  }

  std::string refusal() {
    return message_of<DataError>([&] { load_fashion_mnist(folder_.path()); });
  }

  TestFolder folder_;
};

TEST_F(FashionMnistTest, ReadsBothSplitsOfAFolder) {
  const auto splits = load_fashion_mnist(folder_.path());

  EXPECT_EQ(splits.train->size(), 3);
  EXPECT_EQ(splits.train->get(2).label, 4);
  EXPECT_EQ(splits.test->size(), 1);
  EXPECT_EQ(splits.test->get(0).image[0][16][16].item<int>(), 100);
  EXPECT_EQ(splits.val, nullptr);
}

TEST_F(FashionMnistTest, PadsByTwoBlackPixelsOnEverySide) {
  const auto image = load_fashion_mnist(folder_.path()).train->get(0).image;

  EXPECT_TRUE(
      at::equal(image.slice(1, 2, 30).slice(2, 2, 30), at::full({1, 28, 28}, 200, at::kByte)));
  EXPECT_EQ(image.sum().item<int64_t>(), 28 * 28 * 200);
  EXPECT_EQ(image.size(1), 32);
  EXPECT_EQ(image.size(2), 32);
}

TEST_F(FashionMnistTest, RefusesImagesAndLabelsOfDifferentNumber) {
  folder_.write("train-labels-idx1-ubyte", idx_labels({9, 0}));

  EXPECT_EQ(refusal(), (folder_.path() / "train-labels-idx1-ubyte").string() +
                           ": expected 3 labels, one for every image in train-images-idx3-ubyte, "
                           "found 2");
}

TEST_F(FashionMnistTest, RefusesALabelThatIsNoClass) {
  folder_.write("t10k-labels-idx1-ubyte", idx_labels({10}));

  EXPECT_EQ(refusal(), (folder_.path() / "t10k-labels-idx1-ubyte").string() +
                           ": label of image 0: expected 0 to 9, found 10");
}

TEST_F(FashionMnistTest, RefusesImagesOfAnotherSize) {
  folder_.write("t10k-images-idx3-ubyte", idx_images(1, 27, 0));

  EXPECT_EQ(refusal(), (folder_.path() / "t10k-images-idx3-ubyte").string() +
                           ": expected images of 28 x 28, found 27 x 27");
}

TEST_F(FashionMnistTest, AMissingFileIsNamedWithWhatDataRootMustHold) {
  std::filesystem::remove(folder_.path() / "train-labels-idx1-ubyte");

  const auto message = refusal();

  EXPECT_TRUE(message.starts_with((folder_.path() / "train-labels-idx1-ubyte").string()));
  EXPECT_NE(message.find("data.root"), std::string::npos);
}

TEST_F(FashionMnistTest, AMissingPackageIsNamedWithTheWaysOut) {
  const auto message =
      message_of<DataError>([&] { load_fashion_mnist("", folder_.path() / "not-installed"); });

  EXPECT_NE(message.find("not-installed"), std::string::npos);
  EXPECT_NE(message.find("dataset-fashion-mnist"), std::string::npos);
  EXPECT_NE(message.find("data.root"), std::string::npos);
}

TEST_F(FashionMnistTest, TheInstalledPackageIsTheWholeSet) {
  if (!std::filesystem::exists(kFashionMnistPackage)) {
    GTEST_SKIP() << "the package dataset-fashion-mnist is not installed";
  }

  const auto splits = load_fashion_mnist("");

  const auto& info = splits.train->info();
  EXPECT_EQ(splits.train->size(), 60000);
  EXPECT_EQ(splits.test->size(), 10000);
  EXPECT_EQ(info.class_names[splits.train->get(0).label], "Ankle boot");
  // The constants are for the 28 x 28 pixels, before padding.
  double sum = 0;
  for (int64_t i = 0; i < 10000; ++i) {
    sum += splits.train->get(i).image.sum().item<double>();
  }
  EXPECT_NEAR(sum / (10000 * 28 * 28 * 255.0), info.mean[0], 0.002);
}

}  // namespace
}  // namespace lethe
