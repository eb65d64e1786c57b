// Synthetic images with masks that need no files: one to four textured shapes of 20 classes, partly
// occluded, on a textured background, 64 x 64 in colour. A class is a shape, a texture and a range
// of hues; consecutive classes differ in all three. Shapes have a border of void, as in Pascal VOC.
// The same on every machine and in every run.
//
// For tests and demonstrations: a small network learns it in minutes.
#pragma once

#include <cstdint>

#include "lethe/data/dataset.h"

namespace lethe {

inline constexpr int64_t kShapesSegClasses = 20;  // without background
inline constexpr int64_t kShapesSegTrain = 1600;  // images
inline constexpr int64_t kShapesSegTest = 400;

struct ShapesSegOptions {
  // [0, 1]: fraction of the images that contain further classes, drawn uniformly from all classes.
  // It determines how many images of a later task contain an old class.
  double cooccurrence = 0.7;
};

// Image i contains class 1 + i % 20, in front of all others. side is the network input size; 0
// means 64, as generated. rules are copied to info.
DataSplits make_shapes_seg(const ShapesSegOptions& options = {}, int64_t side = 0,
                           const MaskRules& rules = {});

}  // namespace lethe
