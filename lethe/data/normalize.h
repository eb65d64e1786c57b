// Inputs in the scale of ImageNet, which pretrained weights expect, in place of the data set's own.
#pragma once

#include "lethe/data/dataset.h"

namespace lethe {

// The same samples; info() has ImageNet's mean and standard deviation, so that everything made from
// it (images, codes) agrees. Throws ConfigError for images of other than three channels.
DataSplits with_imagenet_constants(const DataSplits& splits);

}  // namespace lethe
