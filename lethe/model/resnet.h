// ResNet-18, 34, 50 and 101 as a backbone: images to feature maps, without a classifier. Parameter
// names and shapes match torchvision (conv1, bn1, layer1.0.conv1, ...). Bottlenecks have their
// stride in the 3x3 convolution (v1.5).
//
// ResNet is not a module. It registers its parts directly with the network that owns it, so their
// names have no prefix.
#pragma once

#include <torch/nn/module.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "lethe/model/conv_norm.h"

namespace lethe {

// First layers of the network.
enum class Stem {
  kImagenet,  // 7x7 with stride 2, then 3x3 max pooling with stride 2: a quarter of the size
  kCifar,     // 3x3 with stride 1: full size (specification 3.1)
  kCifarS2,   // 3x3 with stride 2: half the size
};

// Image size divided by the size of the stem's output.
int64_t stem_stride(Stem stem);

struct ResNetOptions {
  int depth = 18;      // 18, 34, 50, 101
  int64_t width = 64;  // channels of the first stage, > 0 (bottlenecks output 4 times as many)
  Stem stem = Stem::kImagenet;
  int64_t in_channels = 3;  // > 0
  // Maximum ratio of the image size to the size of the last map: 8, 16 or 32. Stages that would
  // exceed it use dilation instead of stride, like torchvision's replace_stride_with_dilation.
  int64_t output_stride = 32;
};

struct BackboneOutput {
  at::Tensor low_level;  // after layer1: [B, width (x 4), h, w]
  at::Tensor map;        // after layer4: [B, feature_dim, h', w']
};

// The maps after layer1 to layer4.
using StageMaps = std::array<at::Tensor, 4>;

class ResNetStage;

class ResNet {
 public:
  // Registers conv1, bn1, layer1 ... layer4 with parent, which must outlive this object. Weights
  // are zero; see init_parameters. Throws ConfigError if an option is out of range.
  ResNet(torch::nn::Module& parent, const ResNetOptions& options);

  BackboneOutput forward(const at::Tensor& images) const;  // [B, in_channels, H, W]
  // The same pass. Keeps all maps, which costs memory.
  StageMaps forward_stages(const at::Tensor& images) const;

  void fold_batch_norm();

  const ResNetOptions& options() const { return options_; }
  int64_t feature_dim() const;     // channels of the last map
  int64_t low_level_dim() const;   // channels after layer1
  at::Tensor last_weight() const;  // weight of the last convolution

 private:
  at::Tensor forward_stem(const at::Tensor& images) const;

  ResNetOptions options_;
  ConvNorm stem_;
  std::array<std::shared_ptr<ResNetStage>, 4> stages_;
};

}  // namespace lethe
