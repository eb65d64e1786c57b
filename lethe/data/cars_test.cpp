#include "lethe/data/cars.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "tests/support/cars_files.h"
#include "tests/support/image_files.h"

namespace lethe {
namespace {

class CarsTest : public testing::Test {
 protected:
  CarsTest() {
    write_class_names(root() / "devkit/cars_meta.mat",
                      {"AM General Hummer SUV 2000", "Ram C/V Cargo Van Minivan 2012"});
    std::vector<Annotation> train;
    for (int i = 1; i <= 10; ++i) train.push_back({image(i), i % 2 + 1});
    write_annotations(root() / "devkit/cars_train_annos.mat", train);
    for (const auto& annotation : train) folder_.write("cars_train/" + annotation.name, {1});
    for (int i = 1; i <= 3; ++i) folder_.write("cars_test/" + image(i), {1});
  }
  static std::string image(int number) { return "0000" + std::to_string(number) + ".jpg"; }
  void write_test_labels(const std::string& path) const {
    write_annotations(root() / path, {{image(1), 2}, {image(2), 1}, {image(3), 2}});
  }
  const std::filesystem::path& root() const { return folder_.path(); }
  std::string refusal() const {
    const auto message = message_of<DataError>([&] { list_cars(root(), 0.2); });
    return message.substr(std::min(message.size(), root().string().size() + 1));
  }

  TestFolder folder_;
};

TEST_F(CarsTest, ReadsNamesLabelsAndFilesWhereverTheTestLabelsStand) {
  for (const auto* place :
       {"devkit/cars_test_annos_withlabels.mat", "cars_test_annos_withlabels.mat"}) {
    write_test_labels(place);

    const auto lists = list_cars(root(), 0.2);

    EXPECT_EQ(lists.class_names, (std::vector<std::string>{"AM General Hummer SUV 2000",
                                                           "Ram C/V Cargo Van Minivan 2012"}));
    ASSERT_EQ(lists.train.size(), 10);
    EXPECT_EQ(lists.train[0].label, 1);
    EXPECT_EQ(lists.train[0].path, root() / "cars_train/00001.jpg");
    ASSERT_EQ(lists.test.size(), 3);
    EXPECT_EQ(lists.test[1].label, 0);
    EXPECT_EQ(lists.test[1].path, root() / "cars_test/00002.jpg");
    std::filesystem::remove(root() / place);
  }
}

TEST_F(CarsTest, WithoutTestLabelsTrainingWorksAndTheWarningNamesTheFile) {
  ImageLists lists;

  const auto said = warnings_of([&] { lists = list_cars(root(), 0.4); });

  EXPECT_NE(said.find((root() / "devkit/cars_test_annos_withlabels.mat").string()),
            std::string::npos);
  EXPECT_NE(said.find("held out for testing instead"), std::string::npos);
  EXPECT_EQ(lists.train.size(), 6);
  ASSERT_EQ(lists.test.size(), 4);
  EXPECT_EQ(lists.test[0].path.parent_path(), root() / "cars_train");
}

TEST_F(CarsTest, FindsTheFolderBelowTheRoot) {
  const TestFolder parent;
  write_test_labels("cars_test_annos_withlabels.mat");
  std::filesystem::rename(root(), parent.path() / "stanford_cars");

  EXPECT_EQ(list_cars(parent.path(), 0.2).test.size(), 3);
}

TEST_F(CarsTest, WhatIsMissingOrWrongIsNamed) {
  write_annotations(root() / "devkit/cars_train_annos.mat", {{image(1), 3}});
  EXPECT_EQ(refusal(),
            "devkit/cars_train_annos.mat: annotations(1).class: expected 1 to 2, found 3");
  write_annotations(root() / "devkit/cars_train_annos.mat", {{"gone.jpg", 1}});
  EXPECT_TRUE(refusal().starts_with("cars_train/gone.jpg: no such file"));
  folder_.write("devkit/cars_train_annos.mat", to_bytes("this is not a MATLAB file"));
  EXPECT_EQ(refusal(), "devkit/cars_train_annos.mat: is not a readable MATLAB file");
  std::filesystem::remove(root() / "devkit/cars_train_annos.mat");
  EXPECT_EQ(refusal(), "devkit/cars_train_annos.mat: no such file");
  std::filesystem::remove(root() / "devkit/cars_meta.mat");
  EXPECT_TRUE(refusal().starts_with("devkit/cars_meta.mat: no such file"));
  EXPECT_THROW(list_cars("", 0.2), ConfigError);
}

}  // namespace
}  // namespace lethe
