// For tests: a small segmentation dataset in files, with known classes in every image.
#pragma once

#include <ATen/ATen.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/data/mask_file.h"
#include "tests/support/data_files.h"
#include "tests/support/image_files.h"

namespace lethe {

// A mask of 8 x 10: the first pixel is void, each class has two columns, the rest is background.
inline at::Tensor mask_with(const std::vector<int64_t>& classes) {
  auto mask = at::zeros({8, 10}, at::kByte);
  for (size_t i = 0; i < classes.size(); ++i) {
    mask.narrow(1, static_cast<int64_t>(2 * i), 2).fill_(classes[i]);
  }
  mask[0][0] = kVoid;
  return mask;
}

// Ten images of four classes. The images of a task can be counted by hand:
//
//   classes        1  2  12  13  3  34  4  24  -  1234
//   name           0  1  2   3   4  5   6  7   8  9
inline const std::vector<std::vector<int64_t>>& miniature_classes() {
  static const std::vector<std::vector<int64_t>> classes = {
      {1}, {2}, {1, 2}, {1, 3}, {3}, {3, 4}, {4}, {2, 4}, {}, {1, 2, 3, 4}};
  return classes;
}

inline void write_lines(const std::filesystem::path& path, const std::vector<std::string>& lines) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path);
  for (const auto& line : lines) out << line << '\n';
}

// The ten images in the layout of Pascal VOC, all of them in both lists. The cache of the classes
// is in the temporary folder too.
class Miniature {
 public:
  explicit Miniature(const std::string& masks = "SegmentationClass",
                     const std::string& train = "train") {
    setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
    std::vector<std::string> names;
    std::filesystem::create_directories(root() / masks);
    for (size_t i = 0; i < miniature_classes().size(); ++i) {
      names.push_back(std::to_string(i));
      write_noise(root() / "JPEGImages" / (names.back() + ".jpg"), static_cast<int64_t>(i), 8, 10);
      write_mask(root() / masks / (names.back() + ".png"), mask_with(miniature_classes()[i]));
    }
    write_lines(root() / "ImageSets/Segmentation" / (train + ".txt"), names);
    write_lines(root() / "ImageSets/Segmentation/val.txt", names);
  }

  std::filesystem::path root() const { return folder_.path() / "set"; }
  std::filesystem::path cache() const { return folder_.path() / "cache"; }
  // Adds the list of classes that mask_folder needs.
  void add_classes() const {
    write_lines(root() / "classes.txt", {"background", "ant", "bee", "cat", "dog"});
  }

 private:
  TestFolder folder_;
};

}  // namespace lethe
