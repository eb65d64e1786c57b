// Drawn images that need no file: four shapes in three textures, at random places, sizes and
// angles, in random colours, on a shaded and noisy ground. The same on every machine and in every
// run.
//
// Made for tests and quick trials: easy for a small convolutional net, hard for a linear model.
#pragma once

#include <cstdint>

#include "lethe/data/dataset.h"

namespace lethe {

inline constexpr int64_t kShapesClasses = 12;
inline constexpr int64_t kShapesTrainPerClass = 300;
inline constexpr int64_t kShapesTestPerClass = 100;

// Sample i is of class i % 12.
DataSplits make_shapes();

}  // namespace lethe
