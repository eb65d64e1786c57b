// Colours for label maps, as Pascal VOC has them: label 0 black, 1 dark red, 2 green, ...; void is
// cream. For people: files keep labels, pictures show colours.
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

// The picture of the labels laid over the image, uint8 [3, H, W], with this opacity in [0, 1].
// Where the label is background the image stays as it is.
at::Tensor overlay_labels(const at::Tensor& image, const at::Tensor& labels, double opacity = 0.55);

}  // namespace lethe
