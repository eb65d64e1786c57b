// Drawn images with masks that need no file: one to four textured figures of 20 classes, partly
// over one another, on a textured ground, 64 x 64 in colour. A class is a shape, a texture and a
// colour that varies; neighbours in the list differ in all three. Figures have a line of void at
// their rim, as in Pascal VOC. The same on every machine and in every run.
//
// Made for tests and demonstrations: a small network learns it in minutes.
#pragma once

#include <cstdint>

#include "lethe/data/dataset.h"

namespace lethe {

inline constexpr int64_t kShapesSegClasses = 20;  // without background
inline constexpr int64_t kShapesSegTrain = 1600;  // images
inline constexpr int64_t kShapesSegTest = 400;

struct ShapesSegOptions {
  // [0, 1]: part of the images with figures of further classes, drawn evenly from all. It decides
  // how many images of a later task show an old class.
  double cooccurrence = 0.7;
};

// Image i shows class 1 + i % 20 in front of the others. side is what the network sees, 0 = as
// drawn, 64; rules are those of info.
DataSplits make_shapes_seg(const ShapesSegOptions& options = {}, int64_t side = 0,
                           const MaskRules& rules = {});

}  // namespace lethe
