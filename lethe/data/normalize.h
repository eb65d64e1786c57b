// Normalises inputs with the constants of ImageNet, which pretrained weights expect.
#pragma once

#include "lethe/data/dataset.h"

namespace lethe {

// The same samples, with the mean and standard deviation of ImageNet in info(), so that images and
// codes use the same constants. Throws ConfigError unless images have three channels.
DataSplits with_imagenet_constants(const DataSplits& splits);

}  // namespace lethe
