// Defaults for the user's own images (image_folder, image_list): input size and augmentation depend
// on the images. docs/results/defaults.md has the measurements behind them.
#pragma once

#include <cstdint>

#include "lethe/data/image_files.h"
#include "lethe/data/transform.h"

namespace lethe {

// The input size: 32 for small images, 64 for larger ones, and 224 (the usual size of photographs)
// for large images in a large dataset. The size of the images is the median of their shorter sides
// in a sample of the training images. Images that cannot be decoded are skipped here; loading them
// reports the error.
int64_t own_image_side(const ImageLists& lists);

// Inputs of up to 64 pixels are padded by an eighth of their size, then cropped at random, because
// a random resized crop would cut too much out of small images. Larger inputs get a random resized
// crop.
Augmentation own_image_augmentation(int64_t side);

}  // namespace lethe
