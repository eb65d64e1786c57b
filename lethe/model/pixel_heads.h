// The pixel classifier: computes class scores at every position of a map and grows with each task
// (specification 3.2, 3.3, 5.13). There are two kinds; k counts the calls of append() from 0:
//
//   linear  one 1x1 convolution with bias per task: <k>.weight, <k>.bias. Row 0 of the first one is
//           background.
//   ssul    heads of 3x3 convolution, norm, ReLU and 1x1 convolution with bias: unknown.*,
//           background.*, and <k>.* per task. Their parts are 0, 1 and 3, as in torch's Sequential.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lethe/model/network.h"

namespace lethe {

enum class PixelHeadKind { kLinear, kSsul };

// Initialisation of classes that are added after the first task.
enum class NewClassInit {
  kDefault,     // uniform in +-1/sqrt(inputs)
  kBackground,  // linear: background shares its probability equally with the new classes (MiB)
  kUnknown,     // ssul: each new class is a copy of the unknown head
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
  // Throws Error if append() was not called before.
  virtual PixelScores forward(const at::Tensor& map) const = 0;  // [B, in, h, w]

  // Adds outputs for count classes, with zero values. The first call also adds background (and
  // unknown).
  virtual void append(int64_t count) = 0;

  // Initialises the outputs added by the last append, keyed by (seed, prefix + name).
  virtual void init_newest(uint64_t seed, const std::string& prefix) = 0;

  virtual void fold_batch_norm() {}

  // Network::class_entries(), with names within this module.
  virtual std::vector<ClassEntry> class_entries() const = 0;
};

// Throws ConfigError if init and kind do not match.
std::shared_ptr<PixelHeads> make_pixel_heads(const PixelHeadsOptions& options);

}  // namespace lethe
