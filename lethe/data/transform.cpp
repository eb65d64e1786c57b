#include "lethe/data/transform.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

#include "lethe/core/class_set.h"
#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"
#include "lethe/data/crop.h"
#include "lethe/data/resample.h"

namespace lethe {

namespace {

constexpr int32_t kFill = -1;  // no input pixel: black, or void in a mask

// The pixel (row, column) of the unrotated image that an output pixel shows: nearest neighbour,
// about the centre of the image, as torchvision does it.
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

}  // namespace

Transform::Transform(const DatasetInfo& info) : Transform(info, Augmentation{}) {}

Transform::Transform(const DatasetInfo& info, const Augmentation& augmentation)
    : augmentation_(augmentation), height_(info.height), width_(info.width) {
  const auto channels = static_cast<size_t>(info.channels);
  if (info.mean.size() != channels || info.std.size() != channels) {
    throw_error<ConfigError>(
        "{}: expected mean and deviation of {} channels, found {} and {} values", info.name,
        channels, info.mean.size(), info.std.size());
  }
  if (augmentation.pad < 0)
    throw_error<ConfigError>("aug.pad = {}: must be >= 0", augmentation.pad);
  if (augmentation.crop == Crop::kResized && augmentation.pad > 0) {
    throw_error<ConfigError>("aug.pad = {}: aug.crop = \"resized\" does not pad", augmentation.pad);
  }
  if (!(augmentation.rotation >= 0 && augmentation.rotation <= 180)) {
    throw_error<ConfigError>("aug.rotation = {}: must be in [0, 180]", augmentation.rotation);
  }
  for (size_t c = 0; c < channels; ++c) {
    if (!(info.std[c] > 0)) {
      throw_error<ConfigError>("{}: deviation of channel {}: must be > 0, found {}", info.name, c,
                               info.std[c]);
    }
    scale_.push_back(static_cast<float>(1 / (255 * info.std[c])));
    shift_.push_back(static_cast<float>(-info.mean[c] / info.std[c]));
  }
}

bool Transform::is_random() const {
  return augmentation_.crop == Crop::kResized || augmentation_.pad > 0 || augmentation_.flip ||
         augmentation_.rotation > 0;
}

// The part of the image that is shown, in the size of the network.
at::Tensor Transform::to_size(const at::Tensor& image, Random* random) const {
  if (augmentation_.crop != Crop::kResized) return resample(image, height_, width_);
  const Box box = draw_resized_crop(*random, image.size(1), image.size(2));
  auto part = at::empty({image.size(0), height_, width_}, at::kByte);
  resample(image, box, height_, width_, part.data_ptr<uint8_t>());
  return part;
}

// For every output pixel, the index of the input pixel that it shows, or kFill. Each step takes
// whole pixels to whole pixels, so going back through all three at once equals doing one after the
// other.
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

// Runs on the loader's threads: plain loops, no operator of LibTorch (beyond an empty tensor),
// which might start threads itself.
void Transform::apply(const Sample& sample, Random* random, float* out, int64_t* mask_out) const {
  const auto channels = static_cast<int64_t>(scale_.size());
  const int64_t pixels = height_ * width_;
  require_shape("sample.image", sample.image, {channels, kAnySize, kAnySize});
  require_bytes("sample.image", sample.image);
  const bool has_mask = mask_out != nullptr && sample.mask.defined();
  if (has_mask) {
    require_shape("sample.image", sample.image, {channels, height_, width_});
    require_shape("sample.mask", sample.mask, {height_, width_});
    require_bytes("sample.mask", sample.mask);
    if (augmentation_.crop == Crop::kResized) {
      throw ConfigError("aug.crop = \"resized\": does not work on masks");
    }
  }
  if (is_random() && random == nullptr) throw Error("a random transform needs a generator");

  const at::Tensor sized = to_size(sample.image, random);
  const uint8_t* image = sized.data_ptr<uint8_t>();
  const uint8_t* mask = has_mask ? sample.mask.data_ptr<uint8_t>() : nullptr;
  if (!is_random()) {
    for (int64_t c = 0; c < channels; ++c) {
      const float scale = scale_[static_cast<size_t>(c)];
      const float shift = shift_[static_cast<size_t>(c)];
      for (int64_t i = 0; i < pixels; ++i, ++image, ++out) *out = *image * scale + shift;
    }
    if (has_mask) std::copy(mask, mask + pixels, mask_out);
    return;
  }

  const auto sources = draw_sources(*random);
  for (int64_t c = 0; c < channels; ++c, image += pixels) {
    const float scale = scale_[static_cast<size_t>(c)];
    const float shift = shift_[static_cast<size_t>(c)];
    for (const int32_t source : sources) {
      const uint8_t pixel = source == kFill ? uint8_t{0} : image[source];
      *out++ = pixel * scale + shift;
    }
  }
  if (has_mask) {
    for (const int32_t source : sources) *mask_out++ = source == kFill ? kVoid : mask[source];
  }
}

}  // namespace lethe
