// Atrous spatial pyramid pooling (ASPP): processes the backbone's feature map at several scales and
// keeps its size. There are two variants (specification 3.2). Both have a 1x1 branch, three dilated
// 3x3 branches and a branch for the mean over the image:
//
//   standard  every branch: convolution, norm, ReLU. All branches are concatenated, then 1x1
//             convolution, norm, ReLU.
//   mib       all branches but that of the mean are concatenated, then norm, activation, 1x1
//             convolution. The mean branch has two 1x1 convolutions and is added. Then norm,
//             activation.
//
// In the standard variant, names below "aspp." match torchvision: convs.0.0, convs.0.1, ...,
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
  Activation activation = Activation::kRelu;  // for kMib; kStandard always uses ReLU
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

// All weights are zero; the caller initialises them.
std::shared_ptr<Aspp> make_aspp(const AsppOptions& options);

// The dilations for an output stride: 6, 12, 18 for 16; 12, 24, 36 for 8 (kMib: 12, 24, 32).
std::array<int64_t, 3> aspp_dilations(AsppKind kind, int64_t output_stride);

}  // namespace lethe
