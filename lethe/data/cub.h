// CUB-200-2011: photographs of 200 bird species, in the official layout.
#pragma once

#include <filesystem>

#include "lethe/data/image_files.h"

namespace lethe {

// root, or its folder CUB_200_2011, contains classes.txt, images.txt, image_class_labels.txt,
// train_test_split.txt and the folder images. Classes are ordered by number and named as in
// classes.txt ("001.Black_footed_Albatross"). A part of the dataset, with shortened lists, can be
// read too. Throws ConfigError if root is empty, DataError if a file is missing or invalid.
ImageLists list_cub(const std::filesystem::path& root);

}  // namespace lethe
