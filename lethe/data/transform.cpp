#include "lethe/data/transform.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

#include "lethe/core/class_set.h"
#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"
#include "lethe/data/crop.h"
#include "lethe/data/placement.h"
#include "lethe/data/resample.h"

namespace lethe {

namespace {

constexpr int32_t kFill = -1;  // outside the input: black, or void in a mask

// Maps an output pixel (row, column) to the pixel of the unrotated image: nearest neighbour, about
// the centre of the image, as in torchvision.
class InverseRotation {
 public:
  InverseRotation(double degrees, int64_t height, int64_t width)
      : cos_(std::cos(degrees * std::numbers::pi / 180)),
        sin_(std::sin(degrees * std::numbers::pi / 180)),
        centre_y_(static_cast<double>(height) / 2),
        centre_x_(static_cast<double>(width) / 2) {}

  void operator()(int64_t& y, int64_t& x) const {
    const double dy = static_cast<double>(y) + 0.5 - centre_y_;
    const double dx = static_cast<double>(x) + 0.5 - centre_x_;
    y = static_cast<int64_t>(std::floor(sin_ * dx + cos_ * dy + centre_y_));
    x = static_cast<int64_t>(std::floor(cos_ * dx - sin_ * dy + centre_x_));
  }

 private:
  double cos_, sin_, centre_y_, centre_x_;
};

bool within(int64_t value, int64_t size) { return value >= 0 && value < size; }

void require_bytes(const char* name, const at::Tensor& tensor) {
  if (tensor.scalar_type() != at::kByte || !tensor.is_contiguous()) {
    throw_error<Error>("{}: expected contiguous uint8", name);
  }
}

// A map must have the size of its image.
void require_map(const char* name, const at::Tensor& map, const at::Tensor& image) {
  if (!map.defined()) return;
  require_shape(name, map, {image.size(1), image.size(2)});
  require_bytes(name, map);
}

void require_sample(const Sample& sample, int64_t channels) {
  require_shape("sample.image", sample.image, {channels, kAnySize, kAnySize});
  require_bytes("sample.image", sample.image);
  require_map("sample.mask", sample.mask, sample.image);
  require_map("sample.saliency", sample.saliency, sample.image);
}

// Without sources, pixels are copied.
template <typename Out>
void write_map(const at::Tensor& map, const std::vector<int32_t>& sources, uint8_t fill, Out* out) {
  const uint8_t* pixels = map.data_ptr<uint8_t>();
  if (sources.empty()) std::copy(pixels, pixels + map.numel(), out);
  for (const int32_t source : sources) *out++ = source == kFill ? fill : pixels[source];
}

}  // namespace

Transform::Transform(const DatasetInfo& info) : Transform(info, Augmentation{}) {}

Transform::Transform(const DatasetInfo& info, const Augmentation& augmentation)
    : augmentation_(augmentation),
      has_masks_(info.problem == Problem::kMasks),
      height_(info.height),
      width_(info.width) {
  const auto channels = static_cast<size_t>(info.channels);
  if (info.mean.size() != channels || info.std.size() != channels) {
    throw_error<ConfigError>(
        "{}: expected mean and standard deviation of {} channels, found {} and {} values",
        info.name, channels, info.mean.size(), info.std.size());
  }
  if (augmentation.pad < 0)
    throw_error<ConfigError>("aug.pad = {}: must be >= 0", augmentation.pad);
  if (augmentation.crop != Crop::kPad && augmentation.pad > 0) {
    throw_error<ConfigError>("aug.pad = {}: needs aug.crop = \"pad\"", augmentation.pad);
  }
  const bool for_masks = augmentation.crop == Crop::kArea || augmentation.crop == Crop::kScale;
  if (has_masks_ && augmentation.crop == Crop::kResized) {
    throw ConfigError(
        "aug.crop = \"resized\": is for classification; use aug.seg for segmentation");
  }
  if (!has_masks_ && for_masks) {
    throw_error<ConfigError>(
        "aug.seg: is for segmentation; {} is a classification dataset, use aug.crop", info.name);
  }
  if (!(augmentation.rotation >= 0 && augmentation.rotation <= 180)) {
    throw_error<ConfigError>("aug.rotation = {}: must be in [0, 180]", augmentation.rotation);
  }
  for (size_t c = 0; c < channels; ++c) {
    if (!(info.std[c] > 0)) {
      throw_error<ConfigError>("{}: standard deviation of channel {}: must be > 0, found {}",
                               info.name, c, info.std[c]);
    }
    scale_.push_back(static_cast<float>(1 / (255 * info.std[c])));
    shift_.push_back(static_cast<float>(-info.mean[c] / info.std[c]));
  }
}

bool Transform::moves_pixels() const {
  return augmentation_.pad > 0 || augmentation_.flip || augmentation_.rotation > 0;
}

bool Transform::is_random() const { return augmentation_.crop != Crop::kPad || moves_pixels(); }

struct Transform::Sized {
  at::Tensor image;
  at::Tensor mask = {};
  at::Tensor saliency = {};
};

// Uses one geometry for image, mask and saliency.
Transform::Sized Transform::placed(const Sample& sample, Random* random) const {
  const ImageSize from = {.height = sample.image.size(1), .width = sample.image.size(2)};
  const ImageSize window = {.height = height_, .width = width_};
  const Placement placement =
      augmentation_.crop == Crop::kArea    ? draw_area_crop(*random, from, window)
      : augmentation_.crop == Crop::kScale ? draw_true_scale(*random, from, window)
                                           : centred_window(from, window);
  return {
      .image = place(sample.image, placement, window),
      .mask = sample.mask.defined() ? place_nearest(sample.mask, placement, window) : at::Tensor(),
      .saliency = sample.saliency.defined() ? place_nearest(sample.saliency, placement, window)
                                            : at::Tensor()};
}

// The selected part of the sample, in the network input size.
Transform::Sized Transform::to_size(const Sample& sample, Random* random) const {
  if (has_masks_) return placed(sample, random);
  if (augmentation_.crop != Crop::kResized)
    return {.image = resample(sample.image, height_, width_)};
  const Box box = draw_resized_crop(*random, sample.image.size(1), sample.image.size(2));
  auto part = at::empty({sample.image.size(0), height_, width_}, at::kByte);
  resample(sample.image, box, height_, width_, part.data_ptr<uint8_t>());
  return {.image = part};
}

// For each output pixel, the index of its input pixel, or kFill. Each step maps whole pixels to
// whole pixels, so inverting all three at once gives the same result as applying them one by one.
std::vector<int32_t> Transform::draw_sources(Random& random) const {
  const int64_t pad = augmentation_.pad;
  const int64_t top = pad > 0 ? random.below(2 * pad + 1) - pad : 0;
  const int64_t left = pad > 0 ? random.below(2 * pad + 1) - pad : 0;
  const bool flip = augmentation_.flip && random.chance(0.5);
  const bool rotate = augmentation_.rotation > 0;
  const double angle =
      rotate ? random.uniform(-augmentation_.rotation, augmentation_.rotation) : 0.0;
  const InverseRotation unrotate(angle, height_, width_);

  std::vector<int32_t> sources;
  sources.reserve(static_cast<size_t>(height_ * width_));
  for (int64_t row = 0; row < height_; ++row) {
    for (int64_t column = 0; column < width_; ++column) {
      int64_t y = row;
      int64_t x = column;
      if (rotate) unrotate(y, x);
      const bool in_rotated = within(y, height_) && within(x, width_);
      if (flip) x = width_ - 1 - x;
      y += top;
      x += left;
      const bool inside = in_rotated && within(y, height_) && within(x, width_);
      sources.push_back(inside ? static_cast<int32_t>(y * width_ + x) : kFill);
    }
  }
  return sources;
}

// Without sources, pixels are copied.
void Transform::write_image(const at::Tensor& image, const std::vector<int32_t>& sources,
                            float* out) const {
  const int64_t pixels = height_ * width_;
  const uint8_t* plane = image.data_ptr<uint8_t>();
  for (size_t c = 0; c < scale_.size(); ++c, plane += pixels) {
    const float scale = scale_[c];
    const float shift = shift_[c];
    if (sources.empty()) {
      for (int64_t i = 0; i < pixels; ++i) *out++ = plane[i] * scale + shift;
    }
    for (const int32_t source : sources) {
      const uint8_t pixel = source == kFill ? uint8_t{0} : plane[source];
      *out++ = pixel * scale + shift;
    }
  }
}

// Runs on the loader's threads. Uses plain loops and no LibTorch operators (except an empty
// tensor), because those might start threads.
void Transform::apply(const Sample& sample, Random* random, float* out, int64_t* mask_out,
                      uint8_t* saliency_out) const {
  require_sample(sample, static_cast<int64_t>(scale_.size()));
  if (is_random() && random == nullptr) throw Error("a random transform needs a generator");

  const Sized sized = to_size(sample, random);
  const auto sources = moves_pixels() ? draw_sources(*random) : std::vector<int32_t>();
  write_image(sized.image, sources, out);
  if (mask_out != nullptr && sized.mask.defined())
    write_map(sized.mask, sources, static_cast<uint8_t>(kVoid), mask_out);
  if (saliency_out != nullptr && sized.saliency.defined())
    write_map(sized.saliency, sources, uint8_t{0}, saliency_out);
}

}  // namespace lethe
