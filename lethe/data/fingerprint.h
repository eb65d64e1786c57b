// A hash by which a record says on which data a result was made.
#pragma once

#include <string>

#include "lethe/data/dataset.h"

namespace lethe {

// SHA-256 over the class names, the size, all labels, and the pixels (image, mask, saliency) of up
// to 500 samples spread evenly over the set.
std::string fingerprint(const Dataset& dataset);

}  // namespace lethe
