// Synthetic images that need no files: four shapes with three textures, at random positions, sizes
// and angles, in random colours, on a shaded and noisy background. The same on every machine and in
// every run.
//
// For tests and quick experiments: easy for a small convolutional network, hard for a linear model.
#pragma once

#include <cstdint>

#include "lethe/data/dataset.h"

namespace lethe {

inline constexpr int64_t kShapesClasses = 12;
inline constexpr int64_t kShapesTrainPerClass = 300;
inline constexpr int64_t kShapesTestPerClass = 100;

// Sample i has class i % 12.
DataSplits make_shapes();

}  // namespace lethe
