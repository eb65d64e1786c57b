#include "lethe/data/relabelled.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>

#include "lethe/core/class_set.h"
#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

using Labels = std::vector<int64_t>;
using Names = std::vector<std::string>;

DatasetInfo info_of(const Names& class_names, Problem problem = Problem::kImages) {
  return {.name = "tiny",
          .problem = problem,
          .class_names = class_names,
          .channels = 1,
          .height = 1,
          .width = 4,
          .mean = {0},
          .std = {1}};
}

// Sample i is filled with first + i.
DatasetPtr images(const Names& class_names, const Labels& labels, int64_t first = 0) {
  const auto count = static_cast<int64_t>(labels.size());
  const auto pixels = at::arange(first, first + count, at::kByte).reshape({count, 1, 1, 1});
  return std::make_shared<ImageBlock>(info_of(class_names),
                                      pixels.expand({count, 1, 1, 4}).contiguous(), labels, "tiny");
}

// One mask of 1 x 4 per element.
DatasetPtr masks(const Names& class_names, const std::vector<std::array<int, 4>>& all) {
  const auto count = static_cast<int64_t>(all.size());
  auto pixels = at::zeros({count, 1, 4}, at::kByte);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t x = 0; x < 4; ++x)
      pixels[i][0][x] = all[static_cast<size_t>(i)][static_cast<size_t>(x)];
  }
  return std::make_shared<MaskBlock>(info_of(class_names, Problem::kMasks),
                                     at::zeros({count, 1, 1, 4}, at::kByte), pixels, "tiny");
}

int value(const Dataset& dataset, int64_t index) {
  return dataset.get(index).image[0][0][0].item<int>();
}

Labels pixels_of(const Dataset& dataset, int64_t index) {
  const auto mask = dataset.get(index).mask.to(at::kLong).contiguous();
  return {mask.data_ptr<int64_t>(), mask.data_ptr<int64_t>() + mask.numel()};
}

TEST(RelabelledTest, ImagesTakeTheNumbersOfTheOtherList) {
  const auto dataset = relabelled(images({"ant", "bee"}, {0, 1, 0}), {"bee", "cat", "ant"});

  ASSERT_EQ(dataset->size(), 3);
  EXPECT_EQ(dataset->info().class_names, (Names{"bee", "cat", "ant"}));
  EXPECT_EQ(dataset->get(0).label, 2);
  EXPECT_EQ(dataset->get(1).label, 0);
  EXPECT_EQ(dataset->labels_of(2), Labels{2});
  EXPECT_EQ(value(*dataset, 2), 2);
}

TEST(RelabelledTest, ImagesOfUnlistedClassesAreLeftOut) {
  const auto dataset = relabelled(images({"ant", "bee", "cat"}, {0, 1, 2, 1}), {"cat", "ant"});

  ASSERT_EQ(dataset->size(), 2);
  EXPECT_EQ(value(*dataset, 0), 0);
  EXPECT_EQ(dataset->get(0).label, 1);
  EXPECT_EQ(value(*dataset, 1), 2);
  EXPECT_EQ(dataset->labels_of(1), Labels{0});
  EXPECT_EQ(relabelled(images({"ant"}, {0}), {"Ant"})->size(), 0);
}

TEST(RelabelledTest, PixelsTakeTheNumbersOfTheOtherListAndUnlistedOnesBecomeVoid) {
  const auto before = masks({"background", "ant", "bee", "cat"}, {{0, 1, 2, 3}, {255, 3, 3, 1}});

  const auto after = relabelled(before, {"background", "cat", "dog", "ant"});

  EXPECT_EQ(after->info().class_names, (Names{"background", "cat", "dog", "ant"}));
  EXPECT_EQ(pixels_of(*after, 0), (Labels{0, 3, kVoid, 1}));
  EXPECT_EQ(after->labels_of(0), (Labels{1, 3}));
  EXPECT_EQ(pixels_of(*after, 1), (Labels{kVoid, 1, 1, 3}));
  EXPECT_EQ(after->labels_of(1), (Labels{1, 3}));
  EXPECT_EQ(pixels_of(*before, 0), (Labels{0, 1, 2, 3}));
}

TEST(RelabelledTest, BackgroundStaysBackgroundWhateverItsName) {
  const auto after = relabelled(masks({"nothing", "ant"}, {{0, 1, 0, 255}}), {"rest", "bee"});

  EXPECT_EQ(pixels_of(*after, 0), (Labels{0, kVoid, 0, kVoid}));
  EXPECT_EQ(after->labels_of(0), Labels{});
  EXPECT_EQ(after->size(), 1);
}

TEST(RelabelledTest, TheSameNamesGiveTheSameDataset) {
  const auto dataset = images({"ant", "bee"}, {0, 1});

  EXPECT_EQ(relabelled(dataset, {"ant", "bee"}), dataset);
  EXPECT_NE(relabelled(dataset, {"ant", "bee", "cat"}), dataset);
  EXPECT_EQ(relabelled(nullptr, {"ant"}), nullptr);
}

TEST(RelabelledTest, ListsThatCannotBeUsedAreRefused) {
  EXPECT_EQ(message_of<DataError>([] {
              relabelled(images({"ant"}, {0}), {"bee", "bee"});
            }),
            "tiny: two classes are called 'bee'");
  EXPECT_THROW(relabelled(masks({"background", "ant"}, {{0, 1, 0, 0}}), {}), Error);
}

TEST(RelabelledJoinedTest, OneDatasetFollowsTheOther) {
  const auto dataset = joined({images({"ant", "bee"}, {0, 1}), nullptr, images({"ant", "bee"}, {}),
                               images({"ant", "bee"}, {1, 1, 0}, 10)});

  ASSERT_EQ(dataset->size(), 5);
  for (const auto& [index, expected] : {std::pair{0, 0}, {1, 1}, {2, 10}, {4, 12}}) {
    EXPECT_EQ(value(*dataset, index), expected);
  }
  EXPECT_EQ(dataset->get(2).label, 1);
  EXPECT_EQ(dataset->labels_of(4), Labels{0});
  EXPECT_EQ(dataset->info().name, "tiny");
  EXPECT_THROW(dataset->get(5), Error);
  EXPECT_THROW(dataset->labels_of(-1), Error);
}

TEST(RelabelledJoinedTest, MasksAreJoinedLikeImages) {
  const Names names = {"background", "ant", "bee"};

  const auto dataset = joined({masks(names, {{0, 1, 0, 0}}), masks(names, {{2, 2, 255, 0}})});

  ASSERT_EQ(dataset->size(), 2);
  EXPECT_EQ(pixels_of(*dataset, 1), (Labels{2, 2, kVoid, 0}));
  EXPECT_EQ(dataset->labels_of(0), Labels{1});
  EXPECT_EQ(dataset->labels_of(1), Labels{2});
}

TEST(RelabelledJoinedTest, SaliencyMapsCountOnlyIfEveryDatasetHasThem) {
  auto info = info_of({"background", "ant"}, Problem::kMasks);
  info.has_saliency = true;
  const DatasetPtr salient = std::make_shared<MaskBlock>(
      info, at::zeros({1, 1, 1, 4}, at::kByte), at::zeros({1, 1, 4}, at::kByte), "salient");

  EXPECT_TRUE(joined({salient, salient})->info().has_saliency);
  EXPECT_FALSE(joined({salient, masks(info.class_names, {{0, 1, 0, 0}})})->info().has_saliency);
}

TEST(RelabelledJoinedTest, ASingleDatasetIsReturnedAsItIs) {
  const auto dataset = images({"ant"}, {0});

  EXPECT_EQ(joined({nullptr, dataset}), dataset);
  EXPECT_EQ(joined({nullptr}), nullptr);
  EXPECT_EQ(joined({}), nullptr);
}

TEST(RelabelledJoinedTest, DatasetsOfDifferentKindsAreRefused) {
  auto wide = info_of({"ant"});
  wide.width = 5;
  const auto refusal = [](const DatasetPtr& other) {
    return message_of<Error>([&] { joined({images({"ant"}, {0}), other}); });
  };

  EXPECT_EQ(refusal(images({"bee"}, {0})),
            "tiny and tiny cannot be joined: their classes differ: ant; and bee");
  EXPECT_EQ(
      refusal(masks({"background", "ant"}, {{0, 1, 0, 0}})),
      "tiny and tiny cannot be joined: one is for classification, the other for segmentation");
  EXPECT_EQ(refusal(std::make_shared<ImageBlock>(wide, at::zeros({1, 1, 1, 5}, at::kByte),
                                                 Labels{0}, "wide")),
            "tiny and tiny cannot be joined: images of 1 x 1 x 4 and 1 x 1 x 5");
}

TEST(UnlistedTest, TheImagesOfOtherClassesCanGetLabelsOfTheList) {
  const auto all = images({"ant", "bee", "cat"}, {0, 2, 1, 2});

  const auto others = unlisted(all, {"bee", "ant"});
  ASSERT_EQ(others->size(), 2);
  EXPECT_EQ(value(*others, 0), 1);
  EXPECT_EQ(value(*others, 1), 3);
  const auto labelled = with_labels(others, {1, 0});
  EXPECT_EQ(labelled->get(0).label, 1);
  EXPECT_EQ(labelled->labels_of(1), Labels{0});
  EXPECT_EQ(labelled->info().class_names, (Names{"bee", "ant"}));
  EXPECT_EQ(unlisted(all, {"ant", "bee", "cat", "dog"}), nullptr);
  EXPECT_THROW(with_labels(others, {1}), Error);
}

}  // namespace
}  // namespace lethe
