// A hash of the data, stored with each result.
#pragma once

#include <string>

#include "lethe/data/dataset.h"

namespace lethe {

// SHA-256 of the class names, the size, all labels, and the pixels (image, mask, saliency) of up to
// 500 samples, spread evenly over the dataset.
std::string fingerprint(const Dataset& dataset);

}  // namespace lethe
