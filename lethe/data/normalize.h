// Datasets with other constants of normalisation: those of ImageNet, which pretrained weights
// expect, or those of the data that a model was trained on.
#pragma once

#include "lethe/data/dataset.h"

namespace lethe {

// The same samples, with the mean and standard deviation of ImageNet in info(), so that images and
// codes use the same constants. Throws ConfigError unless images have three channels.
DataSplits with_imagenet_constants(const DataSplits& splits);

// The same samples, with the mean and standard deviation of another dataset. Null for null.
DatasetPtr with_constants_of(const DatasetInfo& other, DatasetPtr dataset);

}  // namespace lethe
