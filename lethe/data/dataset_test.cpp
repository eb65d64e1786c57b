#include "lethe/data/dataset.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

DatasetInfo two_by_one() {
  return {.name = "tiny",
          .class_names = {"a", "b"},
          .channels = 1,
          .height = 2,
          .width = 1,
          .mean = {0},
          .std = {1}};
}

// Three images of 2 x 1: (0, 1), (2, 3), (4, 5).
DatasetPtr tiny() {
  return std::make_shared<ImageBlock>(two_by_one(), at::arange(6, at::kByte).reshape({3, 1, 2, 1}),
                                      std::vector<int64_t>{1, 0, 1}, "tiny");
}

std::string refusal(const at::Tensor& images, std::vector<int64_t> labels,
                    const DatasetInfo& info = two_by_one()) {
  return message_of<DataError>([&] { ImageBlock(info, images, std::move(labels), "some.bin"); });
}

TEST(ImageBlockTest, GivesImageAndLabelByNumber) {
  const auto block = tiny();

  const auto sample = block->get(1);

  EXPECT_EQ(block->size(), 3);
  EXPECT_EQ(sample.label, 0);
  EXPECT_FALSE(sample.mask.defined());
  EXPECT_TRUE(at::equal(sample.image, at::tensor({2, 3}, at::kByte).reshape({1, 2, 1})));
  EXPECT_EQ(block->labels_of(2), std::vector<int64_t>{1});
}

TEST(ImageBlockTest, ImagesAreContiguousWhateverTheBlockWas) {
  const auto transposed = at::arange(6, at::kByte).reshape({1, 1, 2, 3}).permute({3, 0, 2, 1});

  const ImageBlock block(two_by_one(), transposed, {0, 0, 0}, "tiny");

  EXPECT_TRUE(block.get(2).image.is_contiguous());
  EXPECT_TRUE(at::equal(block.get(2).image, at::tensor({2, 5}, at::kByte).reshape({1, 2, 1})));
}

TEST(ImageBlockTest, RefusesWhatDoesNotFit) {
  const auto images = at::zeros({2, 1, 2, 1}, at::kByte);

  EXPECT_EQ(refusal(images, {0}), "some.bin: expected images [1, 1, 2, 1], found [2, 1, 2, 1]");
  EXPECT_EQ(refusal(images, {0, 2}), "some.bin: label of image 1: expected 0 to 1, found 2");
  EXPECT_EQ(refusal(images, {-1, 0}), "some.bin: label of image 0: expected 0 to 1, found -1");
  EXPECT_EQ(refusal(images.to(at::kFloat), {0, 0}),
            "some.bin: expected images of type uint8, found Float");
}

TEST(ImageBlockTest, RefusesClassesThatCannotBeToldApartByName) {
  auto info = two_by_one();
  info.class_names = {"a", "a"};

  EXPECT_EQ(refusal(at::zeros({1, 1, 2, 1}, at::kByte), {0}, info),
            "some.bin: two classes are called 'a'");
}

TEST(ImageBlockTest, RefusesASampleThatIsNotThere) {
  EXPECT_THROW(tiny()->get(3), Error);
  EXPECT_THROW(tiny()->labels_of(-1), Error);
}

TEST(SubsetTest, GivesTheChosenSamplesInTheGivenOrder) {
  const Subset subset(tiny(), {2, 0});

  EXPECT_EQ(subset.size(), 2);
  EXPECT_EQ(subset.info().name, "tiny");
  EXPECT_TRUE(at::equal(subset.get(0).image, tiny()->get(2).image));
  EXPECT_TRUE(at::equal(subset.get(1).image, tiny()->get(0).image));
  EXPECT_EQ(subset.labels_of(0), std::vector<int64_t>{1});
}

TEST(SubsetTest, RefusesAnIndexOutsideTheDataSet) {
  EXPECT_EQ(message_of<Error>([] {
              Subset(tiny(), {0, 3});
            }),
            "sample 3: expected a number from 0 to 2");
  EXPECT_THROW(Subset(tiny(), {1}).get(1), Error);
}

}  // namespace
}  // namespace lethe
