// The user's own dataset as folders: one folder of images per class, named after the class.
#pragma once

#include <filesystem>

#include "lethe/data/image_files.h"

namespace lethe {

// root contains train/<class>/* and test/<class>/*, or only <class>/*. In the second case
// test_fraction of each class is held out for testing. Classes are ordered by name, byte by byte.
// Hidden files and files without an image extension (image_file.h) are skipped.
// Throws ConfigError if root is empty, DataError if a folder is missing or no image is found.
ImageLists list_image_folder(const std::filesystem::path& root, double test_fraction);

}  // namespace lethe
