// The user's own dataset as text files: one line per image, "path label".
//
//   photos/0001.jpg 3
//   photos/red car.jpg car           the label is the last word, so a path may have spaces
//   photos/0002.jpg "sports car"     a name with spaces is in quotes,
//   photos/0003.jpg<TAB>sports car   or after a tab
//
// Relative paths are relative to the folder of the list. Empty lines and lines that start with #
// are skipped.
#pragma once

#include <filesystem>
#include <string>

#include "lethe/data/image_files.h"

namespace lethe {

struct ImageListOptions {
  std::string train_list = "train.txt";  // relative to root
  std::string test_list = "test.txt";    // empty: test_fraction of the training images is held out
  double test_fraction = 0.2;
};

// Labels are names, or numbers if all of them are numbers. root/classes.txt, if present, contains
// one name per line and defines the order of the classes; numbers are then line numbers, counted
// from 0. Without it, classes are ordered by name or by number, and the numbers are also the names.
// Throws ConfigError if root is empty, DataError with file and line if something is wrong.
ImageLists list_image_list(const std::filesystem::path& root, const ImageListOptions& options);

}  // namespace lethe
