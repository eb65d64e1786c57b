// What gives every position of a map its class scores, growing task by task
// (specification 3.2, 3.3, 5.13). Two forms; k counts the calls of append from 0:
//
//   linear  one 1x1 convolution with bias per task: <k>.weight, <k>.bias. The first has background
//           as its first row.
//   ssul    heads of a 3x3 convolution, norm, ReLU and a 1x1 convolution with bias each: unknown.*,
//           background.*, and one per task, <k>.* (parts 0, 1 and 3, as torch's Sequential counts)
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>

namespace lethe {

enum class PixelHeadKind { kLinear, kSsul };

// First values of the outputs of classes that come later.
enum class NewClassInit {
  kDefault,     // drawn: uniform up to 1 / sqrt(inputs)
  kBackground,  // linear: background's share is split evenly among it and the new classes (MiB)
  kUnknown,     // ssul: each new class starts as the unknown head
};

struct PixelHeadsOptions {
  PixelHeadKind kind = PixelHeadKind::kLinear;
  NewClassInit init = NewClassInit::kDefault;
  int64_t in = 0;
  int64_t hidden = 256;  // ssul: channels between the two convolutions
};

struct PixelScores {
  at::Tensor logits;   // [B, K, h, w]: background, then the classes
  at::Tensor unknown;  // ssul: [B, 1, h, w], else undefined
};

class PixelHeads : public torch::nn::Module {
 public:
  // Throws Error before the first append.
  virtual PixelScores forward(const at::Tensor& map) const = 0;  // [B, in, h, w]

  // The outputs of count more classes, values zero; the first call brings background (and unknown).
  virtual void append(int64_t count) = 0;

  // First values of what the last append brought, drawn from (seed, prefix + name).
  virtual void init_newest(uint64_t seed, const std::string& prefix) = 0;

  virtual void fold_batch_norm() {}
};

// Throws ConfigError if init does not go with the kind.
std::shared_ptr<PixelHeads> make_pixel_heads(const PixelHeadsOptions& options);

}  // namespace lethe
