#include "lethe/data/crop.h"

#include <cmath>

namespace lethe {

namespace {

constexpr double kMinRatio = 3.0 / 4;  // width / height
constexpr double kMaxRatio = 4.0 / 3;
constexpr int kTries = 10;

Box centred(int64_t height, int64_t width, int64_t box_height, int64_t box_width) {
  return {.top = (height - box_height) / 2,
          .left = (width - box_width) / 2,
          .height = box_height,
          .width = box_width};
}

// The largest centred box with an allowed aspect ratio.
Box largest_allowed(int64_t height, int64_t width) {
  const auto h = static_cast<double>(height);
  const auto w = static_cast<double>(width);
  if (w / h < kMinRatio) return centred(height, width, std::lround(w / kMinRatio), width);
  if (w / h > kMaxRatio) return centred(height, width, height, std::lround(h * kMaxRatio));
  return {.height = height, .width = width};
}

}  // namespace

Box draw_resized_crop(Random& random, int64_t height, int64_t width, const AreaRange& range) {
  const auto area = static_cast<double>(height * width);
  for (int i = 0; i < kTries; ++i) {
    const double wanted = area * random.uniform(range.min, range.max);
    const double ratio = std::exp(random.uniform(std::log(kMinRatio), std::log(kMaxRatio)));
    const int64_t box_width = std::lround(std::sqrt(wanted * ratio));
    const int64_t box_height = std::lround(std::sqrt(wanted / ratio));
    const bool fits = box_width > 0 && box_width <= width && box_height > 0 && box_height <= height;
    if (!fits) continue;
    const int64_t top = random.below(height - box_height + 1);
    const int64_t left = random.below(width - box_width + 1);
    return {.top = top, .left = left, .height = box_height, .width = box_width};
  }
  return largest_allowed(height, width);
}

}  // namespace lethe
