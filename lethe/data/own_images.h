// Defaults for your own images (image_folder, image_list): input size and augmentation follow from
// the images. Measured in docs/results/defaults.md.
#pragma once

#include <cstdint>

#include "lethe/data/image_files.h"
#include "lethe/data/transform.h"

namespace lethe {

// The input size, from the shorter side of the training images (median of a sample): 32 for small
// images, 64 for larger ones. Large images in a large dataset get 224, the usual size of
// photographs. Images that cannot be decoded are skipped here; loading them reports the error.
int64_t own_image_side(const ImageLists& lists);

// Up to 64 pixels: pad by an eighth, then random crop. A random resized crop cuts too much out of
// small images.
Augmentation own_image_augmentation(int64_t side);

}  // namespace lethe
