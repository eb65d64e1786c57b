// Atrous spatial pyramid pooling: the map of the backbone seen at several scales at once, at one
// size. Two forms (specification 3.2), both with branches of 1x1, three dilated 3x3, and the mean
// of the image:
//
//   standard  each branch convolution, norm, ReLU; concatenated; 1x1 convolution, norm, ReLU
//   mib       the branches without the mean: concatenated, norm, activation, 1x1 convolution; the
//             mean has two 1x1 convolutions of its own and is added; norm, activation
//
// Names are torchvision's below "aspp." for the standard form: convs.0.0, convs.0.1, ...,
// project.0.
#pragma once

#include <torch/nn/module.h>

#include <array>
#include <cstdint>
#include <memory>

namespace lethe {

enum class AsppKind { kStandard, kMib };

enum class Activation {
  kRelu,
  kLeakyRelu,  // slope 0.01
  kNone,
};

struct AsppOptions {
  AsppKind kind = AsppKind::kStandard;
  Activation activation = Activation::kRelu;  // of mib; the standard form has ReLU
  int64_t in = 0;
  int64_t channels = 256;
  std::array<int64_t, 3> dilations = {6, 12, 18};
};

class Aspp : public torch::nn::Module {
 public:
  virtual at::Tensor forward(
      const at::Tensor& map) const = 0;  // [B, in, h, w] -> [B, channels, h, w]
  virtual void fold_batch_norm() = 0;
};

// Weights are zero.
std::shared_ptr<Aspp> make_aspp(const AsppOptions& options);

// The dilations that belong to an output stride: 6, 12, 18 for 16, and so on.
std::array<int64_t, 3> aspp_dilations(AsppKind kind, int64_t output_stride);

}  // namespace lethe
