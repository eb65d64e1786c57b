// Resizes all images of a dataset once, when it is read.
#pragma once

#include <cstdint>

#include "lethe/data/dataset.h"

namespace lethe {

// All images of a classification dataset resized to side x side (bilinear, antialiased, rounded to
// uint8), as an ImageBlock. Throws ConfigError for a segmentation dataset.
DatasetPtr resized(const Dataset& dataset, int64_t side);

}  // namespace lethe
