// Scales an image as PIL and torchvision do: bilinear with antialiasing. Shrinking widens the
// triangle of weights by the scale, so that every input pixel counts; rows first, then columns, 8
// bits in between. Written by hand because OpenCV has no such filter: its INTER_LINEAR skips pixels
// when it shrinks, its INTER_AREA is another mean. resample_test.cpp compares with Pillow's own.
//
// Plain loops without LibTorch or threads: safe on the loader's threads, the same bits everywhere.
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

// Scales the box of image, uint8 [C, H, W], contiguous, to uint8 [C, height, width] at out. What
// lies outside the box does not count. Throws Error if the box leaves the image or a size is not
// positive.
void resample(const at::Tensor& image, const Box& box, int64_t height, int64_t width, uint8_t* out);

// The whole image scaled to height x width; the image itself if it has that size already.
at::Tensor resample(const at::Tensor& image, int64_t height, int64_t width);

// The whole image scaled so that its shorter side is short_side, in its own proportions (the longer
// side is rounded down, as torchvision does).
at::Tensor resample_short_side(const at::Tensor& image, int64_t short_side);

}  // namespace lethe
