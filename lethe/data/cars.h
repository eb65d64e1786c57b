// Stanford Cars: photographs of 196 models of cars, in the official layout.
#pragma once

#include <filesystem>

#include "lethe/data/image_files.h"

namespace lethe {

// root, or its folder stanford_cars, holds devkit (cars_meta.mat, cars_train_annos.mat), cars_train
// and cars_test. The labels of the test images come in a file of their own,
// cars_test_annos_withlabels.mat, beside devkit or in it. Without it test_fraction of the training
// images is held out to test on, and a warning says so.
// Throws ConfigError if root is empty, DataError if a file is missing or not as it should be.
ImageLists list_cars(const std::filesystem::path& root, double test_fraction);

}  // namespace lethe
