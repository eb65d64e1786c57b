// The input of a training step, made by the loader.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lethe {

struct Batch {
  // float [B, C, H, W], augmented and normalised; undefined in a request-only event.
  at::Tensor images;
  // Class ids in stream order: int64 [B], in segmentation [B, H, W]; kVoid = ignored.
  at::Tensor labels;
  // uint8 [B, H, W] if the dataset has saliency maps (data.saliency), otherwise undefined.
  at::Tensor saliency = {};

  int64_t size() const { return images.defined() ? images.size(0) : 0; }
  Batch to(const at::Device& device) const;
  // Splits the batch into parts of nearly equal size, none of them empty. Without images there is
  // one part.
  std::vector<Batch> split(int64_t parts) const;
};

// Maps a dataset label to its class id, to background or to kVoid. Indexed by label; segmentation:
// 256 entries.
using LabelMap = std::vector<int64_t>;

}  // namespace lethe
