// Stanford Cars: photographs of 196 car models, in the official layout.
#pragma once

#include <filesystem>

#include "lethe/data/image_files.h"

namespace lethe {

// root, or its folder stanford_cars, contains devkit (cars_meta.mat, cars_train_annos.mat),
// cars_train and cars_test. The labels of the test images are in a separate file,
// cars_test_annos_withlabels.mat, next to devkit or in it. Without this file, test_fraction of the
// training images is held out for testing, with a warning.
// Throws ConfigError if root is empty, DataError if a file is missing or invalid.
ImageLists list_cars(const std::filesystem::path& root, double test_fraction);

}  // namespace lethe
