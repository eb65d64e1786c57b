#include "lethe/data/cub.h"

#include <gtest/gtest.h>

#include <map>

#include "lethe/core/error.h"
#include "lethe/data/load_data.h"
#include "lethe/data/options.h"
#include "tests/support/image_files.h"

namespace lethe {
namespace {

class CubTest : public testing::Test {
 protected:
  CubTest() {
    text("classes.txt", "1 001.Black_footed_Albatross\n2 002.Laysan_Albatross\n");
    text("images.txt", "1 001.a/x.jpg\n2 002.b/y.jpg\n3 002.b/z.jpg\n");
    text("image_class_labels.txt", "1 1\n2 2\n3 2\n");
    text("train_test_split.txt", "1 1\n2 0\n3 1\n");
    for (const auto* name : {"001.a/x.jpg", "002.b/y.jpg", "002.b/z.jpg"}) {
      folder_.write(std::string("images/") + name, {1});
    }
  }
  void text(const std::string& name, const std::string& lines) const {
    folder_.write(name, to_bytes(lines));
  }
  std::string refusal() const {
    const auto message = message_of<DataError>([&] { list_cub(folder_.path()); });
    return message.substr(std::min(message.size(), folder_.path().string().size() + 1));
  }

  TestFolder folder_;
};

TEST_F(CubTest, ReadsClassesLabelsAndTheOfficialSplit) {
  const auto lists = list_cub(folder_.path());

  EXPECT_EQ(lists.class_names,
            (std::vector<std::string>{"001.Black_footed_Albatross", "002.Laysan_Albatross"}));
  ASSERT_EQ(lists.train.size(), 2);
  EXPECT_EQ(lists.train[0].label, 0);
  EXPECT_EQ(lists.train[1].label, 1);
  EXPECT_EQ(lists.train[1].path, folder_.path() / "images/002.b/z.jpg");
  ASSERT_EQ(lists.test.size(), 1);
  EXPECT_EQ(lists.test[0].label, 1);
}

TEST_F(CubTest, FindsTheOfficialFolderBelowTheRoot) {
  const TestFolder parent;
  std::filesystem::rename(folder_.path(), parent.path() / "CUB_200_2011");

  EXPECT_EQ(list_cub(parent.path()).train.size(), 2);
}

TEST_F(CubTest, WhatIsMissingOrWrongIsNamed) {
  text("train_test_split.txt", "1 1\n2 0\n");
  EXPECT_EQ(refusal(), "train_test_split.txt: image 3 is missing");
  text("train_test_split.txt", "1 1\n2 0\n3 2\n");
  EXPECT_EQ(refusal(), "train_test_split.txt: image 3: expected 0 to 1, found '2'");
  text("image_class_labels.txt", "1 1\n2 2\n3 three\n");
  EXPECT_EQ(refusal(), "image_class_labels.txt: image 3: expected 1 to 2, found 'three'");
  text("images.txt", "1 001.a/x.jpg\nnonsense\n");
  EXPECT_EQ(refusal(), "images.txt:2: expected a number, a space and a value, found 'nonsense'");
  text("classes.txt", "1 a\n3 b\n");
  EXPECT_EQ(refusal(), "classes.txt: expected classes 1, 2, 3, ... without gaps, found 3 after 1");
  std::filesystem::remove(folder_.path() / "images.txt");
  EXPECT_EQ(refusal(),
            "images.txt: no such file, nor CUB_200_2011/images.txt; data.root must be the folder "
            "that the archive CUB_200_2011.tgz unpacks to");
  EXPECT_THROW(list_cub(""), ConfigError);
}

TEST_F(CubTest, MissingImagesAreCounted) {
  std::filesystem::remove_all(folder_.path() / "images");

  EXPECT_EQ(refusal(), "images/001.a/x.jpg: no such file, but " +
                           (folder_.path() / "images.txt").string() +
                           " lists it; 2 of 2 images are missing: unpack the whole archive");
}

TEST_F(CubTest, ReadsTheRealFiles) {
  const auto root = shared_data("CUB_200_2011");
  if (root.empty()) GTEST_SKIP() << no_shared_data("CUB_200_2011");

  const auto splits = load_data({.name = "cub200", .root = root.string(), .size = 64});

  const auto classes = splits.train->info().class_names.size();
  std::map<int64_t, int64_t> counts;
  for (int64_t i = 0; i < splits.train->size(); ++i) ++counts[splits.train->labels_of(i).front()];
  EXPECT_EQ(counts.size(), classes);
  EXPECT_EQ(splits.train->info().class_names[0], "001.Black_footed_Albatross");
  const auto first = splits.train->get(0).image;
  EXPECT_EQ(std::min(first.size(1), first.size(2)), 73);  // 64 * 256 / 224
  EXPECT_EQ(splits.test->get(0).image.sizes(), (std::vector<int64_t>{3, 64, 64}));
  const auto other = splits.test->get(splits.test->size() - 1);
  EXPECT_EQ(other.label, static_cast<int64_t>(classes) - 1);
}

}  // namespace
}  // namespace lethe
