#include "lethe/data/resize.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lethe/core/error.h"

namespace lethe {

DatasetPtr resized(const Dataset& dataset, int64_t side) {
  DatasetInfo info = dataset.info();
  if (info.kind != TaskKind::kClassification) {
    throw_error<ConfigError>("data.size: {} has masks; it is for classification only", info.name);
  }
  constexpr int64_t kChunk = 256;  // images that are held as float at a time
  const int64_t count = dataset.size();
  auto images = at::empty({count, info.channels, side, side}, at::kByte);
  std::vector<int64_t> labels;
  labels.reserve(static_cast<size_t>(count));
  for (int64_t first = 0; first < count; first += kChunk) {
    const int64_t size = std::min(kChunk, count - first);
    std::vector<at::Tensor> chunk;
    for (int64_t i = first; i < first + size; ++i) {
      Sample sample = dataset.get(i);
      chunk.push_back(std::move(sample.image));
      labels.push_back(sample.label);
    }
    const std::vector<int64_t> sizes = {side, side};
    const auto scaled =
        at::_upsample_bilinear2d_aa(at::stack(chunk).to(at::kFloat), at::IntArrayRef(sizes), false);
    images.narrow(0, first, size).copy_(scaled.round().clamp(0, 255));
  }
  info.height = side;
  info.width = side;
  const std::string origin = info.name;
  return std::make_shared<ImageBlock>(std::move(info), std::move(images), std::move(labels),
                                      origin);
}

}  // namespace lethe
