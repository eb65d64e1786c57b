// Classification losses of pixels (specification 5.2, 5.10, 5.13). logits [B, K, H, W] have
// background as channel 0; labels are int64 [B, H, W] in stream order. Void pixels are ignored.
// Each function returns a scalar, 0 if no pixel is valid.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lethe {

// Mean over valid pixels of -ln softmax(z)_y.
at::Tensor mask_cross_entropy(const at::Tensor& logits, const at::Tensor& labels);

// MiB: a background pixel may belong to any of the first `old` channels, so its probability is the
// sum over them. Labels below `old` are background. dropped: bool [old], channels that are excluded
// from the sum, so that background pixels push them down; undefined = none.
at::Tensor unbiased_cross_entropy(const at::Tensor& logits, const at::Tensor& labels, int64_t old,
                                  const at::Tensor& dropped = {});

// SSUL: sum over channels of the binary cross-entropy with one-hot targets.
at::Tensor mask_binary_cross_entropy(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace lethe
