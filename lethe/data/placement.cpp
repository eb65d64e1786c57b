#include "lethe/data/placement.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "lethe/data/crop.h"

namespace lethe {

namespace {

constexpr double kMinScale = 0.5;
constexpr double kMaxScale = 2;
constexpr int64_t kOutside = -1;

Box whole(const ImageSize& image) { return {.height = image.height, .width = image.width}; }

// The start of a window of this length; negative if the window is larger than the scaled image.
int64_t draw_start(Random& random, int64_t scaled, int64_t window) {
  return scaled > window ? random.below(scaled - window + 1) : (scaled - window) / 2;
}

// For each position along one axis of the window, the pixel of the scaled part.
std::vector<int64_t> shown(int64_t start, int64_t scaled, int64_t window) {
  std::vector<int64_t> places;
  for (int64_t i = start; i < start + window; ++i) {
    places.push_back(i >= 0 && i < scaled ? i : kOutside);
  }
  return places;
}

// Maps pixels of the scaled part to the nearest pixels of the image.
void to_nearest(std::vector<int64_t>& places, int64_t first, int64_t part, int64_t scaled) {
  for (int64_t& place : places) {
    if (place != kOutside) place = first + (2 * place + 1) * part / (2 * scaled);
  }
}

// out[y][x] = plane[rows[y]][columns[x]], 0 outside.
void gather(const uint8_t* plane, int64_t stride, const std::vector<int64_t>& rows,
            const std::vector<int64_t>& columns, uint8_t* out) {
  for (const int64_t row : rows) {
    for (const int64_t column : columns) {
      const bool inside = row != kOutside && column != kOutside;
      *out++ = inside ? plane[row * stride + column] : uint8_t{0};
    }
  }
}

at::Tensor scaled_part(const at::Tensor& image, const Placement& placement) {
  const auto& [height, width] = placement.scaled;
  const auto& part = placement.part;
  const bool is_whole = part.height == image.size(1) && part.width == image.size(2);
  if (is_whole) return resample(image, height, width);
  auto scaled = at::empty({image.size(0), height, width}, at::kByte);
  resample(image, part, height, width, scaled.data_ptr<uint8_t>());
  return scaled;
}

}  // namespace

Placement draw_area_crop(Random& random, const ImageSize& image, const ImageSize& window) {
  return {.part = draw_resized_crop(random, image.height, image.width, kMaskArea),
          .scaled = window};
}

Placement draw_true_scale(Random& random, const ImageSize& image, const ImageSize& window) {
  const double factor = random.uniform(kMinScale, kMaxScale);
  const auto scale = [factor](int64_t length) {
    return std::max<int64_t>(1, static_cast<int64_t>(factor * static_cast<double>(length)));
  };
  Placement placement = {.part = whole(image),
                         .scaled = {.height = scale(image.height), .width = scale(image.width)}};
  placement.top = draw_start(random, placement.scaled.height, window.height);
  placement.left = draw_start(random, placement.scaled.width, window.width);
  return placement;
}

Placement centred_window(const ImageSize& image, const ImageSize& window) {
  const bool is_wide = image.width * window.height >= image.height * window.width;
  ImageSize scaled = window;
  if (is_wide) {
    scaled.width = window.height * image.width / image.height;
  } else {
    scaled.height = window.width * image.height / image.width;
  }
  return {.part = whole(image),
          .scaled = scaled,
          .top = (scaled.height - window.height) / 2,
          .left = (scaled.width - window.width) / 2};
}

at::Tensor place(const at::Tensor& image, const Placement& placement, const ImageSize& window) {
  const auto scaled = scaled_part(image, placement);
  const auto& [height, width] = placement.scaled;
  if (height == window.height && width == window.width) return scaled;
  const auto rows = shown(placement.top, height, window.height);
  const auto columns = shown(placement.left, width, window.width);
  auto out = at::empty({image.size(0), window.height, window.width}, at::kByte);
  for (int64_t c = 0; c < image.size(0); ++c) {
    gather(scaled.data_ptr<uint8_t>() + c * height * width, width, rows, columns,
           out.data_ptr<uint8_t>() + c * window.height * window.width);
  }
  return out;
}

at::Tensor place_nearest(const at::Tensor& map, const Placement& placement,
                         const ImageSize& window) {
  auto rows = shown(placement.top, placement.scaled.height, window.height);
  auto columns = shown(placement.left, placement.scaled.width, window.width);
  to_nearest(rows, placement.part.top, placement.part.height, placement.scaled.height);
  to_nearest(columns, placement.part.left, placement.part.width, placement.scaled.width);
  auto out = at::empty({window.height, window.width}, at::kByte);
  gather(map.data_ptr<uint8_t>(), map.size(1), rows, columns, out.data_ptr<uint8_t>());
  return out;
}

}  // namespace lethe
