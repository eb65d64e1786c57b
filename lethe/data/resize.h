// Images of another size, made once when a set is read.
#pragma once

#include <cstdint>

#include "lethe/data/dataset.h"

namespace lethe {

// All images of a classification set scaled to side x side (bilinear, antialiased, rounded to
// uint8), held as one block. Throws ConfigError for a segmentation set.
DatasetPtr resized(const Dataset& dataset, int64_t side);

}  // namespace lethe
