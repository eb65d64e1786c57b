#include "lethe/features/pixels.h"

#include <ATen/ATen.h>

#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

constexpr ClassId kBackground = 0;

at::Tensor positions_of(int64_t from, int64_t to, const at::Device& device) {
  return at::floor_divide(at::arange(to, at::TensorOptions(at::kLong).device(device)) * from, to);
}

// Samples height rows and width columns of the last two dimensions.
at::Tensor sampled(const at::Tensor& maps, int64_t height, int64_t width) {
  return maps.index_select(-2, positions_of(maps.size(-2), height, maps.device()))
      .index_select(-1, positions_of(maps.size(-1), width, maps.device()));
}

}  // namespace

at::Tensor downsample_labels(const at::Tensor& labels, int64_t height, int64_t width) {
  require_shape("labels", labels, {kAnySize, kAnySize, kAnySize});
  return sampled(labels, height, width);
}

at::Tensor pixel_rows(const at::Tensor& map) {
  require_shape("map", map, {kAnySize, kAnySize, kAnySize, kAnySize});
  return map.permute({0, 2, 3, 1}).reshape({-1, map.size(1)});
}

at::Tensor pseudo_labels(const at::Tensor& labels, const at::Tensor& old_logits, double threshold) {
  require_shape("old logits", old_logits,
                {labels.size(0), kAnySize, labels.size(1), labels.size(2)});
  auto answer = old_logits.argmax(1);
  if (threshold > 0) {
    const auto sure = old_logits.softmax(1).amax(1) >= threshold;
    answer = answer.masked_fill(sure.logical_not(), kBackground);
  }
  return at::where(labels == kBackground, answer, labels);
}

at::Tensor pseudo_labels_at(const at::Tensor& labels, const at::Tensor& old_logits, int64_t height,
                            int64_t width, double threshold) {
  const auto small = downsample_labels(labels, height, width);
  if (!old_logits.defined()) return small;
  return pseudo_labels(small, sampled(old_logits, height, width), threshold);
}

ClassGroups group_pixels(const at::Tensor& map, const at::Tensor& labels, GroupScope scope) {
  require_shape("labels", labels, {map.size(0), map.size(2), map.size(3)});
  at::Tensor images;
  if (scope == GroupScope::kImage) {
    images = at::arange(labels.size(0), labels.options())
                 .reshape({-1, 1, 1})
                 .expand(labels.sizes())
                 .flatten();
  }
  return group_by_class(pixel_rows(map), labels.flatten(), {}, images, LabelKind::kPixel);
}

at::Tensor without_classes(const at::Tensor& labels, const ClassSet& classes) {
  if (classes.empty()) return labels;
  return labels.masked_fill(is_in(labels, classes), kBackground);
}

}  // namespace lethe
