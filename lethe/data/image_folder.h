// A set of your own as folders: one folder of images per class, named like the class.
#pragma once

#include <filesystem>

#include "lethe/data/image_files.h"

namespace lethe {

// root holds train/<class>/* and test/<class>/*, or <class>/* alone: then test_fraction of every
// class is held out to test on. Classes are in the order of their names, byte by byte. What is no
// image (image_file.h), and what is hidden, is left out.
// Throws ConfigError if root is empty, DataError if a folder is missing or no image is found.
ImageLists list_image_folder(const std::filesystem::path& root, double test_fraction);

}  // namespace lethe
