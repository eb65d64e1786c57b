// Loads a dataset as its [data] options say.
#pragma once

#include <string>
#include <vector>

#include "lethe/data/dataset.h"
#include "lethe/data/options.h"

namespace lethe {

// Reads the dataset and applies size or crop, train_per_class, test_per_class and val_fraction. In
// segmentation, an image counts towards every class it contains for train_per_class and
// test_per_class, and towards its lowest class for val_fraction. Held-out images are chosen per
// class with a fixed seed, so they are the same for every run. A hold-out takes at least one image
// of every class with two or more images, but never all of them. With undecodable = "skip", every
// image file is decoded once first, so the set of skipped images depends only on the files; a
// warning names some of them. One warning names the classes without images. Throws ConfigError if a
// key is set that this dataset does not read.
DataSplits load_data(const DataOptions& options);

// Every image file of the dataset that cannot be decoded, with the reason. Empty for datasets that
// are not stored as image files, and for segmentation.
std::vector<std::string> undecodable_images(const DataOptions& options);

}  // namespace lethe
