#include "lethe/data/resample.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

// Weights are multiples of 2^-22: 255 times their sum still fits into 32 bits.
constexpr int kBits = 22;
constexpr int32_t kHalf = 1 << (kBits - 1);

uint8_t to_byte(int32_t sum) {
  return static_cast<uint8_t>(std::clamp(sum >> kBits, int32_t{0}, int32_t{255}));
}

// The input pixels and weights of an output pixel, along one axis.
struct Taps {
  int64_t first = 0;
  std::vector<int32_t> weights;
};

std::vector<Taps> make_taps(int64_t in, int64_t out) {
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  const double radius = std::max(scale, 1.0);
  std::vector<Taps> result(static_cast<size_t>(out));
  std::vector<double> triangle;
  for (int64_t i = 0; i < out; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(0, std::llround(std::floor(centre - radius + 0.5)));
    const auto last = std::min(in, static_cast<int64_t>(std::floor(centre + radius + 0.5)));
    triangle.clear();
    double sum = 0;
    for (int64_t k = first; k < last; ++k) {
      const double distance = std::abs(static_cast<double>(k) + 0.5 - centre) / radius;
      triangle.push_back(std::max(0.0, 1 - distance));
      sum += triangle.back();
    }
    auto& taps = result[static_cast<size_t>(i)];
    taps.first = first;
    for (const double weight : triangle) {
      taps.weights.push_back(static_cast<int32_t>(std::lround(weight / sum * (1 << kBits))));
    }
  }
  return result;
}

// Resizes each of `rows` rows, `stride` apart, along its length.
void scale_rows(const uint8_t* in, int64_t rows, int64_t stride, const std::vector<Taps>& taps,
                uint8_t* out) {
  for (int64_t row = 0; row < rows; ++row, in += stride) {
    for (const auto& tap : taps) {
      const uint8_t* pixel = in + tap.first;
      int32_t sum = kHalf;
      for (const int32_t weight : tap.weights) sum += weight * *pixel++;
      *out++ = to_byte(sum);
    }
  }
}

// Resizes along the columns: rows of `width` pixels, `stride` apart, are combined into one row per
// tap.
void scale_columns(const uint8_t* in, int64_t width, int64_t stride, const std::vector<Taps>& taps,
                   std::vector<int32_t>& sums, uint8_t* out) {
  for (const auto& tap : taps) {
    sums.assign(static_cast<size_t>(width), kHalf);
    const uint8_t* row = in + tap.first * stride;
    for (const int32_t weight : tap.weights) {
      for (int64_t x = 0; x < width; ++x) sums[static_cast<size_t>(x)] += weight * row[x];
      row += stride;
    }
    for (const int32_t sum : sums) *out++ = to_byte(sum);
  }
}

void require(const at::Tensor& image, const Box& box, int64_t height, int64_t width) {
  require_shape("image", image, {kAnySize, kAnySize, kAnySize});
  if (image.scalar_type() != at::kByte || !image.is_contiguous()) {
    throw Error("image: expected contiguous uint8");
  }
  const bool inside = box.top >= 0 && box.left >= 0 && box.height > 0 && box.width > 0 &&
                      box.top + box.height <= image.size(1) &&
                      box.left + box.width <= image.size(2);
  if (!inside) {
    throw_error<Error>("box of {} x {} at ({}, {}): not within an image of {}", box.height,
                       box.width, box.top, box.left, shape_text(image.sizes()));
  }
  if (height <= 0 || width <= 0) {
    throw_error<Error>("size {} x {}: must be > 0", height, width);
  }
}

}  // namespace

void resample(const at::Tensor& image, const Box& box, int64_t height, int64_t width,
              uint8_t* out) {
  require(image, box, height, width);
  const int64_t stride = image.size(2);
  const bool same_width = box.width == width;
  const auto along_row = same_width ? std::vector<Taps>() : make_taps(box.width, width);
  const auto along_column = make_taps(box.height, height);
  std::vector<uint8_t> narrowed(same_width ? 0 : static_cast<size_t>(box.height * width));
  std::vector<int32_t> sums;
  const uint8_t* plane = image.data_ptr<uint8_t>() + box.top * stride + box.left;
  for (int64_t c = 0; c < image.size(0); ++c) {
    if (same_width) {
      scale_columns(plane, width, stride, along_column, sums, out);
    } else {
      scale_rows(plane, box.height, stride, along_row, narrowed.data());
      scale_columns(narrowed.data(), width, width, along_column, sums, out);
    }
    plane += image.size(1) * stride;
    out += height * width;
  }
}

at::Tensor resample(const at::Tensor& image, int64_t height, int64_t width) {
  const Box whole = {.height = image.size(1), .width = image.size(2)};
  require(image, whole, height, width);
  if (whole.height == height && whole.width == width) return image;
  auto scaled = at::empty({image.size(0), height, width}, at::kByte);
  resample(image, whole, height, width, scaled.data_ptr<uint8_t>());
  return scaled;
}

at::Tensor resample_short_side(const at::Tensor& image, int64_t short_side) {
  const int64_t height = image.size(1);
  const int64_t width = image.size(2);
  return height <= width ? resample(image, short_side, short_side * width / height)
                         : resample(image, short_side * height / width, short_side);
}

}  // namespace lethe
