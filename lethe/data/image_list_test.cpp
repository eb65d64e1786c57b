#include "lethe/data/image_list.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "tests/support/image_files.h"

namespace lethe {
namespace {

class ImageListTest : public testing::Test {
 protected:
  ImageListTest() {
    for (const auto* name : {"a.jpg", "my dog.jpg", "sub/b.jpg"}) folder_.write(name, {1});
    lists("a.jpg 0\n", "a.jpg 0\n");
  }
  void lists(const std::string& train, const std::string& test) const {
    folder_.write("train.txt", to_bytes(train));
    folder_.write("test.txt", to_bytes(test));
  }
  ImageLists list(const ImageListOptions& options = {}) const {
    return list_image_list(root(), options);
  }
  std::string refusal() const {
    const auto message = message_of<DataError>([&] { list(); });
    EXPECT_TRUE(message.starts_with(root().string() + "/")) << message;
    return message.substr(std::min(message.size(), root().string().size() + 1));
  }
  const std::filesystem::path& root() const { return folder_.path(); }

  TestFolder folder_;
};

TEST_F(ImageListTest, PathsAndNamesMayHaveSpaces) {
  lists(
      "# comment\na.jpg cat\n\nmy dog.jpg \"big dog\"\r\nmy dog.jpg\tbig dog\n\"my dog.jpg\" cat\n",
      "sub/b.jpg cat");

  const auto found = list();

  EXPECT_EQ(found.class_names, (std::vector<std::string>{"big dog", "cat"}));
  ASSERT_EQ(found.train.size(), 4);
  EXPECT_EQ(found.train[0].label, 1);
  for (const size_t i : {1, 2}) {
    EXPECT_EQ(found.train[i].path, root() / "my dog.jpg");
    EXPECT_EQ(found.train[i].label, 0);
  }
  EXPECT_EQ(found.train[3].path, root() / "my dog.jpg");
  EXPECT_EQ(found.test[0].path, root() / "sub/b.jpg");
}

TEST_F(ImageListTest, NumbersAreInNumericOrderAndTheirOwnNames) {
  lists("a.jpg 10\nsub/b.jpg 9\n", "my dog.jpg 11");

  const auto found = list();

  EXPECT_EQ(found.class_names, (std::vector<std::string>{"9", "10", "11"}));
  EXPECT_EQ(found.train[0].label, 1);
  EXPECT_EQ(found.test[0].label, 2);
}

TEST_F(ImageListTest, AFileOfClassesNamesNumbersAndOrdersNames) {
  folder_.write("classes.txt", to_bytes("zebra\nbig ape\n\n"));
  lists("a.jpg 1\n", "a.jpg 0\n");
  EXPECT_EQ(list().class_names, (std::vector<std::string>{"zebra", "big ape"}));
  EXPECT_EQ(list().train[0].label, 1);

  lists("a.jpg \"big ape\"\n", "a.jpg zebra\n");
  EXPECT_EQ(list().train[0].label, 1);

  lists("a.jpg \"big apes\"\n", "a.jpg zebra\n");
  EXPECT_EQ(refusal(),
            "train.txt:1: class 'big apes' is not in classes.txt; did you mean 'big ape'?");
  lists("a.jpg 2\n", "a.jpg 0\n");
  EXPECT_EQ(refusal(), "train.txt:1: label 2: classes.txt has 2 classes, counted from 0");
}

TEST_F(ImageListTest, AbsolutePathsAndListsInOtherPlacesAreRead) {
  folder_.write("lists/some.txt",
                to_bytes("../sub/b.jpg x\n" + (root() / "a.jpg").string() + " y\n"));

  const auto found = list({.train_list = "lists/some.txt"});

  EXPECT_EQ(found.train[0].path.lexically_normal(), root() / "sub/b.jpg");
  EXPECT_EQ(found.train[1].path, root() / "a.jpg");
}

TEST_F(ImageListTest, WithoutATestListAPartIsHeldOut) {
  lists("a.jpg x\nmy dog.jpg x\nsub/b.jpg x\n", "");

  const auto found = list({.test_list = "", .test_fraction = 0.4});

  EXPECT_EQ(found.train.size(), 2);
  EXPECT_EQ(found.test.size(), 1);
}

TEST_F(ImageListTest, WhatIsWrongIsSaidWithItsLine) {
  lists("a.jpg 0\nlonely\n", "a.jpg 0\n");
  EXPECT_EQ(refusal(), "train.txt:2: expected a path and a label, found 'lonely'");
  lists("a.jpg 0\n", "\n# none\n");
  EXPECT_EQ(refusal(), "test.txt: lists no image");
  lists("a.jpg 0\n", "\ngone.jpg 0\n");
  EXPECT_EQ(refusal(), "test.txt:2: " + (root() / "gone.jpg").string() + ": no such file");
  std::filesystem::remove(root() / "test.txt");
  EXPECT_EQ(refusal(),
            "test.txt: no such file; set data.test_list to another list, or to \"\" to hold out "
            "data.test_fraction of the training images");
  EXPECT_THROW(list_image_list("", {}), ConfigError);
}

}  // namespace
}  // namespace lethe
