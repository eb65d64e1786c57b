// How an image and its mask come into the window that the network sees (specification 2.4): a part
// of them is scaled, and the window shows a part of that. One geometry for both: images bilinear,
// masks by nearest neighbour.
//
// Plain loops, as in resample.h: safe on the loader's threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "lethe/core/random.h"
#include "lethe/data/resample.h"

namespace lethe {

struct ImageSize {
  int64_t height = 0;
  int64_t width = 0;
};

struct Placement {
  Box part;          // of the image
  ImageSize scaled;  // what becomes of the part
  int64_t top = 0;   // where the window starts in it; negative: there is fill before it
  int64_t left = 0;
};

// MiB and SDR: a part of half the area or more (draw_resized_crop with kMaskArea), scaled to the
// window.
Placement draw_area_crop(Random& random, const ImageSize& image, const ImageSize& window);

// SSUL: the whole image scaled by a factor in (0.5, 2), then a random window; a side that is too
// small lies in the middle of it. Draws uniform(0.5, 2); below() for the row and for the column
// where the image is larger than the window.
Placement draw_true_scale(Random& random, const ImageSize& image, const ImageSize& window);

// Evaluation: scaled so that it just covers the window (a square one: the shorter side to its side,
// the longer one rounded down), of which the centre is shown.
Placement centred_window(const ImageSize& image, const ImageSize& window);

// image: uint8 [C, H, W] to [C, window]; map: uint8 [H, W] to [window], both contiguous. Fill is 0.
at::Tensor place(const at::Tensor& image, const Placement& placement, const ImageSize& window);
at::Tensor place_nearest(const at::Tensor& map, const Placement& placement,
                         const ImageSize& window);

}  // namespace lethe
