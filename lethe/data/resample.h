// Resizes an image like PIL and torchvision: bilinear with antialiasing. When shrinking, the
// triangle filter is widened by the scale factor, so that every input pixel contributes. Rows are
// processed first, then columns, with 8 bits in between. OpenCV has no such filter: its
// INTER_LINEAR skips pixels when it shrinks, and its INTER_AREA averages differently.
// resample_test.cpp compares with Pillow.
//
// Plain loops without LibTorch or threads: safe on the loader's threads, bit-identical on every
// machine.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lethe {

// A part of an image, in pixels.
struct Box {
  int64_t top = 0;
  int64_t left = 0;
  int64_t height = 0;
  int64_t width = 0;
};

// Resizes the box of image (uint8 [C, H, W], contiguous) to uint8 [C, height, width] at out. Pixels
// outside the box have no influence. Throws Error if the box is not within the image or a size is
// not positive.
void resample(const at::Tensor& image, const Box& box, int64_t height, int64_t width, uint8_t* out);

// The whole image resized to height x width; the image itself if it already has that size.
at::Tensor resample(const at::Tensor& image, int64_t height, int64_t width);

// The whole image resized so that its shorter side is short_side. The aspect ratio is kept; the
// longer side is rounded down, as in torchvision.
at::Tensor resample_short_side(const at::Tensor& image, int64_t short_side);

}  // namespace lethe
