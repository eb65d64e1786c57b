// What the loader hands to a training step.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lethe {

struct Batch {
  at::Tensor
      images;  // float [B, C, H, W], augmented and normalised; undefined in a step without images
  at::Tensor labels;  // int64 [B], or [B, H, W] for masks: classes in stream order, kVoid where
                      // nothing counts
  at::Tensor saliency =
      {};  // uint8 [B, H, W] if the data set has it (data.saliency), else undefined

  int64_t size() const { return images.defined() ? images.size(0) : 0; }
  Batch to(const at::Device& device) const;
  // In so many parts, of as equal size as possible and none empty; one part if there are no images.
  std::vector<Batch> split(int64_t parts) const;
};

// From a data set's own label to the class in the stream (or kVoid, or background); indexed by
// label, 256 entries for masks.
using LabelMap = std::vector<int64_t>;

}  // namespace lethe
