#include "lethe/data/image_folder.h"

#include <gtest/gtest.h>

#include <set>

#include "lethe/core/error.h"
#include "tests/support/image_files.h"

namespace lethe {
namespace {

std::vector<std::string> names_in(const std::vector<ImageFile>& files) {
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.path.filename().string());
  return names;
}

class ImageFolderTest : public testing::Test {
 protected:
  void add(const std::string& name) const { folder_.write(name, {1}); }
  ImageLists list(double fraction = 0.2) const { return list_image_folder(root(), fraction); }
  std::string refusal() const {
    return message_of<DataError>([&] { list(); });
  }
  const std::filesystem::path& root() const { return folder_.path(); }

  TestFolder folder_;
};

TEST_F(ImageFolderTest, FoldersAreClassesInOrderOfTheirNamesAndNamesMayHaveSpaces) {
  for (const auto* name : {"train/red car/2.jpg", "train/red car/1.PNG", "train/Bus/a b.webp",
                           "train/bike/x.bmp", "test/red car/3.jpeg", "test/Bus/y.jpg"}) {
    add(name);
  }

  const auto lists = list();

  EXPECT_EQ(lists.class_names, (std::vector<std::string>{"Bus", "bike", "red car"}));
  EXPECT_EQ(names_in(lists.train),
            (std::vector<std::string>{"a b.webp", "x.bmp", "1.PNG", "2.jpg"}));
  EXPECT_EQ(lists.train.back().label, 2);
  EXPECT_EQ(names_in(lists.test), (std::vector<std::string>{"y.jpg", "3.jpeg"}));
}

TEST_F(ImageFolderTest, AClassOfOneSideOnlyHasItsLabel) {
  for (const auto* name : {"train/a/1.jpg", "train/c/1.jpg", "test/a/1.jpg", "test/b/1.jpg"}) {
    add(name);
  }

  const auto lists = list();

  EXPECT_EQ(lists.class_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(lists.train.back().label, 2);
  EXPECT_EQ(lists.test.back().label, 1);
}

TEST_F(ImageFolderTest, OneTreeHoldsAFixedPartOfEveryClassOut) {
  for (int i = 0; i < 10; ++i) {
    add("one/" + std::to_string(i) + ".jpg");
    add("other two/" + std::to_string(i) + ".jpg");
  }

  const auto lists = list(0.3);

  EXPECT_EQ(lists.class_names, (std::vector<std::string>{"one", "other two"}));
  EXPECT_EQ(lists.train.size(), 14);
  EXPECT_EQ(lists.test.size(), 6);
  std::set<std::string> all;
  std::vector<int> held(2);
  for (const auto& file : lists.train) all.insert(file.path.string());
  for (const auto& file : lists.test) {
    all.insert(file.path.string());
    ++held[static_cast<size_t>(file.label)];
  }
  EXPECT_EQ(all.size(), 20);
  EXPECT_EQ(held, (std::vector<int>{3, 3}));
  EXPECT_EQ(names_in(list(0.3).test), names_in(lists.test));
}

TEST_F(ImageFolderTest, WhatIsNoImageAndWhatIsHiddenIsLeftOut) {
  for (const auto* name : {"train/a/1.jpg", "train/a/Thumbs.db", "train/a/.hidden.jpg",
                           "train/.cache/1.jpg", "train/notes.txt", "test/a/1.jpg"}) {
    add(name);
  }

  const auto lists = list();

  EXPECT_EQ(lists.class_names, (std::vector<std::string>{"a"}));
  EXPECT_EQ(names_in(lists.train), (std::vector<std::string>{"1.jpg"}));
}

TEST_F(ImageFolderTest, WhatIsMissingIsSaid) {
  const auto here = root().string();
  EXPECT_EQ(refusal(),
            here +
                ": no image found; expected one folder per class that contains JPEG, PNG, WebP or "
                "BMP files");
  add("train/a/1.jpg");
  EXPECT_EQ(refusal(), here +
                           "/test: no such folder next to train/; image_folder needs both, or only "
                           "class folders");
  add("val/a/1.jpg");
  EXPECT_TRUE(refusal().ends_with("; val can be renamed to test"));
  EXPECT_EQ(message_of<DataError>([&] { list_image_folder(root() / "none", 0.2); }),
            here + "/none: no such folder");
  EXPECT_THROW(list_image_folder("", 0.2), ConfigError);
}

}  // namespace
}  // namespace lethe
