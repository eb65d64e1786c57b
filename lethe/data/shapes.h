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

// Images per class. A larger number begins with the images of a smaller one.
struct ShapesOptions {
  int64_t train_per_class = kShapesTrainPerClass;
  int64_t test_per_class = kShapesTestPerClass;
};

// Sample i has class i % 12.
DataSplits make_shapes(const ShapesOptions& options = {});

}  // namespace lethe
