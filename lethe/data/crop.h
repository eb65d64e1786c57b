// The random resized crop of specification 2.2 and 2.4: a part of an image, of random area and
// proportions, that is then scaled to the size of the network.
#pragma once

#include <cstdint>

#include "lethe/core/random.h"
#include "lethe/data/resample.h"

namespace lethe {

// Parts of the image's area that are drawn. Above 1 nothing fits: such a draw counts as a try.
struct AreaRange {
  double min = 0.08;
  double max = 1;
};

inline constexpr AreaRange kMaskArea = {.min = 0.5, .max = 2};  // of MiB and SDR

// A box within an image of height x width: of an area in range, 3:4 to 4:3 wide. If ten draws do
// not fit into the image, the largest box of allowed proportions in its centre.
//
// Draws per try uniform(min, max) for the area and uniform(log 3/4, log 4/3) for the proportions;
// when they fit, below() for the row and below() for the column.
Box draw_resized_crop(Random& random, int64_t height, int64_t width, const AreaRange& range = {});

}  // namespace lethe
