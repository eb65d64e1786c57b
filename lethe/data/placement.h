// The geometric transform from an image and its mask to the network input (specification 2.4): a
// part of both is scaled, and the network input is a window of the result. Image and mask use the
// same geometry; images are scaled bilinearly, masks with nearest neighbour.
//
// The code uses plain loops instead of LibTorch, as in resample.h, so it is safe on the loader's
// threads.
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
  Box part;          // part of the image to use
  ImageSize scaled;  // size of the part after scaling
  int64_t top = 0;   // start of the window in the scaled part; negative: padding before it
  int64_t left = 0;
};

// MiB and SDR: a part of at least half the area (draw_resized_crop with kMaskArea), scaled to the
// window.
Placement draw_area_crop(Random& random, const ImageSize& image, const ImageSize& window);

// SSUL: the whole image scaled by a factor in (0.5, 2), then a random window. Along an axis where
// the scaled image is smaller than the window, it is centred. Draws uniform(0.5, 2), then below()
// for the row and below() for the column, each only if the scaled image is larger than the window
// along that axis.
Placement draw_true_scale(Random& random, const ImageSize& image, const ImageSize& window);

// Evaluation: the image is scaled so that it just covers the window, and the window is at its
// centre. For a square window, the shorter side gets the size of the window and the longer side is
// rounded down.
Placement centred_window(const ImageSize& image, const ImageSize& window);

// image: uint8 [C, H, W] to [C, window]; map: uint8 [H, W] to [window]. Both are contiguous.
// Padding is 0.
at::Tensor place(const at::Tensor& image, const Placement& placement, const ImageSize& window);
at::Tensor place_nearest(const at::Tensor& map, const Placement& placement,
                         const ImageSize& window);

}  // namespace lethe
