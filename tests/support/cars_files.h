// For tests: writes the lists of Stanford Cars as MATLAB files.
#pragma once

#include <gtest/gtest.h>
#include <matio.h>

#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

// matio needs non-const bytes.
// cppcheck-suppress passedByValue
inline matvar_t* make_text(std::string text) {
  size_t dims[2] = {1, text.size()};
  return Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UINT8, 2, dims, text.data(), 0);
}

inline matvar_t* make_number(double value) {
  size_t dims[2] = {1, 1};
  return Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, &value, 0);
}

inline void write_mat(const std::filesystem::path& path, matvar_t* variable) {
  std::filesystem::create_directories(path.parent_path());
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE), 0);
  Mat_VarFree(variable);
  Mat_Close(file);
}

struct Annotation {
  std::string name;
  int label;
};

// Writes cars_train_annos.mat as in the official devkit: a struct array with a box, a class and a
// file name per image.
inline void write_annotations(const std::filesystem::path& path,
                              const std::vector<Annotation>& all) {
  const char* fields[] = {"bbox_x1", "class", "fname"};
  size_t dims[2] = {1, all.size()};
  matvar_t* array = Mat_VarCreateStruct("annotations", 2, dims, fields, 3);
  for (size_t i = 0; i < all.size(); ++i) {
    Mat_VarSetStructFieldByName(array, "bbox_x1", i, make_number(30));
    Mat_VarSetStructFieldByName(array, "class", i, make_number(all[i].label));
    Mat_VarSetStructFieldByName(array, "fname", i, make_text(all[i].name));
  }
  write_mat(path, array);
}

// Writes cars_meta.mat: a cell array of class names.
inline void write_class_names(const std::filesystem::path& path,
                              const std::vector<std::string>& all) {
  size_t dims[2] = {1, all.size()};
  matvar_t* names = Mat_VarCreate("class_names", MAT_C_CELL, MAT_T_CELL, 2, dims, nullptr, 0);
  for (size_t i = 0; i < all.size(); ++i)
    Mat_VarSetCell(names, static_cast<int>(i), make_text(all[i]));
  write_mat(path, names);
}

}  // namespace lethe
