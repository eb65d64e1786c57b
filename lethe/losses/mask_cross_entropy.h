// Losses of the classes of pixels (specification 5.2, 5.10, 5.13). logits [B, K, H, W] with
// background as channel 0, labels int64 [B, H, W] in stream order; void pixels count nowhere. Each
// returns a scalar, 0 where no pixel is valid.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lethe {

// Mean over valid pixels of -ln softmax(z)_y.
at::Tensor mask_cross_entropy(const at::Tensor& logits, const at::Tensor& labels);

// MiB: a background label may hide any of the first `old` channels, so such a pixel asks for the
// sum of their probabilities. Labels below `old` count as background. dropped, bool [old]: channels
// that are left out of that sum, so that background pixels push them down; undefined = none.
at::Tensor unbiased_cross_entropy(const at::Tensor& logits, const at::Tensor& labels, int64_t old,
                                  const at::Tensor& dropped = {});

// SSUL: sum over channels of the binary cross-entropy with one-hot targets.
at::Tensor mask_binary_cross_entropy(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace lethe
