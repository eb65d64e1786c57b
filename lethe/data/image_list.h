// A set of your own as text files: one line per image, "path label".
//
//   photos/0001.jpg 3
//   photos/red car.jpg car           the label is the last word, so a path may have spaces
//   photos/0002.jpg "sports car"     a name with spaces stands in quotes,
//   photos/0003.jpg<TAB>sports car   or behind a tab
//
// A relative path counts from the folder of the list. Empty lines and lines that start with # are
// skipped.
#pragma once

#include <filesystem>
#include <string>

#include "lethe/data/image_files.h"

namespace lethe {

struct ImageListOptions {
  std::string train_list = "train.txt";  // below root
  std::string test_list = "test.txt";    // empty: test_fraction of the training images is held out
  double test_fraction = 0.2;
};

// Labels are names, or numbers if all of them are. root/classes.txt, if present, holds one name per
// line and fixes their order; numbers count its lines from 0. Without it classes are in the order
// of their names, or of their numbers, which then are their names. Throws ConfigError if root is
// empty, DataError with file and line if something is wrong.
ImageLists list_image_list(const std::filesystem::path& root, const ImageListOptions& options);

}  // namespace lethe
