#include "lethe/data/mask_colours.h"

#include <ATen/ATen.h>

#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

at::Tensor palette() {  // uint8 [256, 3]
  auto colours = at::empty({256, 3}, at::kByte);
  auto* out = colours.data_ptr<uint8_t>();
  for (int64_t label = 0; label < 256; ++label) {
    for (const uint8_t value : mask_colour(label)) *out++ = value;
  }
  return colours;
}

}  // namespace

// Bits 0, 3, 6 of the label are the highest bits of red, bits 1, 4, 7 of green, bits 2, 5 of blue.
// Consecutive labels therefore look different, and 255 (void) is cream.
Rgb mask_colour(int64_t label) {
  Rgb colour = {0, 0, 0};
  for (int shift = 7; label > 0; --shift, label >>= 3) {
    for (size_t c = 0; c < 3; ++c) {
      colour[c] = static_cast<uint8_t>(colour[c] | (label >> c & 1) << shift);
    }
  }
  return colour;
}

at::Tensor colour_labels(const at::Tensor& labels) {
  require_shape("labels", labels, {kAnySize, kAnySize});
  const auto colours = palette().index_select(0, labels.flatten().to(at::kLong));
  return colours.reshape({labels.size(0), labels.size(1), 3}).permute({2, 0, 1}).contiguous();
}

at::Tensor overlay_labels(const at::Tensor& image, const at::Tensor& labels, double opacity) {
  require_shape("image", image, {3, labels.size(0), labels.size(1)});
  const auto colours = colour_labels(labels).to(at::kFloat);
  const auto mixed = image.to(at::kFloat) * (1 - opacity) + colours * opacity;
  return at::where(labels.ne(0), mixed.round().to(at::kByte), image).contiguous();
}

}  // namespace lethe
