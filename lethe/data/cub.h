// CUB-200-2011: photographs of 200 kinds of birds, in the official layout.
#pragma once

#include <filesystem>

#include "lethe/data/image_files.h"

namespace lethe {

// root, or its folder CUB_200_2011, holds classes.txt, images.txt, image_class_labels.txt,
// train_test_split.txt and the folder images. Classes are in the order of their numbers and have
// the names of classes.txt ("001.Black_footed_Albatross"); a part of the set, with its lists cut
// down, is read as well. Throws ConfigError if root is empty, DataError if a file is missing or not
// as it should be.
ImageLists list_cub(const std::filesystem::path& root);

}  // namespace lethe
