// Colours of label maps for pictures, as in Pascal VOC: label 0 is black, 1 dark red, 2 green, ...;
// void is cream.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace lethe {

using Rgb = std::array<uint8_t, 3>;

// The colour of a label in [0, 255]; 255 (void) is cream.
Rgb mask_colour(int64_t label);

// A label map [H, W] of any integer type, labels in [0, 255], as a picture: uint8 [3, H, W].
at::Tensor colour_labels(const at::Tensor& labels);

// Overlays the colours of the labels on the image, uint8 [3, H, W], with an opacity in [0, 1].
// Background pixels of the image are unchanged.
at::Tensor overlay_labels(const at::Tensor& image, const at::Tensor& labels, double opacity = 0.55);

}  // namespace lethe
