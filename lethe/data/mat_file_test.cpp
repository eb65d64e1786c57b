#include "lethe/data/mat_file.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

class MatFileTest : public testing::Test {
 protected:
  MatFileTest() {
    path_ = folder_.write("devkit.mat", {
#include "lethe/data/mat_file_golden.inc"
                                        });
  }

  template <typename Call>
  std::string refusal(Call&& call) const {
    const auto message = message_of<DataError>(call);
    return message.substr(std::min(message.size(), path_.string().size()));
  }

  TestFolder folder_;
  std::filesystem::path path_;
};

TEST_F(MatFileTest, ReadsWhatAnotherProgramWroteCompressed) {
  EXPECT_EQ(read_mat_cells(path_, "class_names"),
            (std::vector<std::string>{"AM General Hummer SUV 2000", "Acura RL Sedan 2012",
                                      "Ram C/V Cargo Van Minivan 2012"}));
  EXPECT_EQ(read_mat_texts(path_, "annotations", "fname"),
            (std::vector<std::string>{"00001.jpg", "00002.jpg"}));
  EXPECT_EQ(read_mat_numbers(path_, "annotations", "class"), (std::vector<int64_t>{3, 196}));
  EXPECT_EQ(read_mat_numbers(path_, "annotations", "bbox_x1"), (std::vector<int64_t>{39, 1036}));
}

TEST_F(MatFileTest, WhatIsNotThereOrOfAnotherKindIsNamed) {
  EXPECT_EQ(refusal([&] { read_mat_cells(path_, "names"); }), ": has no variable 'names'");
  EXPECT_EQ(refusal([&] { read_mat_cells(path_, "annotations"); }),
            ": variable 'annotations' is not a cell array");
  EXPECT_EQ(refusal([&] { read_mat_numbers(path_, "class_names", "class"); }),
            ": variable 'class_names' is not a struct array");
  EXPECT_EQ(refusal([&] { read_mat_numbers(path_, "annotations", "fname"); }),
            ": annotations(1).fname: expected an integer");
  EXPECT_EQ(refusal([&] { read_mat_texts(path_, "annotations", "label"); }),
            ": annotations(1).label: expected a string");
}

}  // namespace
}  // namespace lethe
