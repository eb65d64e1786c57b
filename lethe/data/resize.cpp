#include "lethe/data/resize.h"

#include <ATen/ATen.h>

#include <utility>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/data/resample.h"

namespace lethe {

DatasetPtr resized(const Dataset& dataset, int64_t side) {
  DatasetInfo info = dataset.info();
  if (info.problem != Problem::kImages) {
    throw_error<ConfigError>("data.size: is for classification only; {} is a segmentation dataset",
                             info.name);
  }
  const int64_t count = dataset.size();
  auto images = at::empty({count, info.channels, side, side}, at::kByte);
  auto* out = images.data_ptr<uint8_t>();
  std::vector<int64_t> labels;
  labels.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const Sample sample = dataset.get(i);
    const Box whole = {.height = sample.image.size(1), .width = sample.image.size(2)};
    resample(sample.image, whole, side, side, out);
    labels.push_back(sample.label);
    out += info.channels * side * side;
  }
  info.height = side;
  info.width = side;
  const std::string origin = info.name;
  return std::make_shared<ImageBlock>(std::move(info), std::move(images), std::move(labels),
                                      origin);
}

}  // namespace lethe
