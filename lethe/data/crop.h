// The random resized crop of specification 2.2 and 2.4: a part of an image with random area and
// aspect ratio, which is then resized to the network input size.
#pragma once

#include <cstdint>

#include "lethe/core/random.h"
#include "lethe/data/resample.h"

namespace lethe {

// Range of the area of a crop, relative to the area of the image. With max > 1, some draws are
// larger than the image and do not fit; they count as tries.
struct AreaRange {
  double min = 0.08;
  double max = 1;
};

inline constexpr AreaRange kMaskArea = {.min = 0.5, .max = 2};  // as in MiB and SDR

// A box within an image of height x width, with an area in range and an aspect ratio from 3:4 to
// 4:3. If none of ten tries fits into the image, the result is the largest centred box with an
// allowed aspect ratio.
//
// Each try draws uniform(min, max) for the area and uniform(log 3/4, log 4/3) for the aspect ratio.
// If the box fits, below() is drawn for the row and below() for the column.
Box draw_resized_crop(Random& random, int64_t height, int64_t width, const AreaRange& range = {});

}  // namespace lethe
