// ResNet-18, 34, 50 and 101 as a backbone: images in, feature maps out, no classifier. Parameter
// names and shapes are torchvision's (conv1, bn1, layer1.0.conv1, ...); bottlenecks carry their
// stride on the 3x3 convolution (v1.5).
//
// Not a module itself: it registers its parts with the network it belongs to, so that their names
// stand where that network wants them.
#pragma once

#include <torch/nn/module.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "lethe/model/conv_norm.h"

namespace lethe {

// What turns the image into the first map.
enum class Stem {
  kImagenet,  // 7x7 with stride 2, then 3x3 maximum with stride 2: a quarter of the size
  kCifar,     // 3x3 with stride 1: the size of the image (specification 3.1)
  kCifarS2,   // 3x3 with stride 2: half the size
};

// By what factor its map is smaller than the image.
int64_t stem_stride(Stem stem);

struct ResNetOptions {
  int depth = 18;      // 18, 34, 50, 101
  int64_t width = 64;  // channels of the first stage (bottlenecks give 4 times as many), > 0
  Stem stem = Stem::kImagenet;
  int64_t in_channels = 3;  // > 0
  // 8, 16 or 32: the image is at most this many times larger than the last map. Stages that would
  // go beyond dilate instead of stepping, as torchvision's replace_stride_with_dilation.
  int64_t output_stride = 32;
};

struct BackboneOutput {
  at::Tensor low_level;  // after layer1: [B, width (x 4), h, w], fine and simple
  at::Tensor map;        // after layer4: [B, feature_dim, h', w']
};

class ResNetStage;

class ResNet {
 public:
  // Registers conv1, bn1, layer1 ... layer4 with parent, which must outlive this. Weights are zero:
  // see init_parameters. Throws ConfigError if an option leaves its range.
  ResNet(torch::nn::Module& parent, const ResNetOptions& options);

  BackboneOutput forward(const at::Tensor& images) const;  // [B, in_channels, H, W]

  void fold_batch_norm();

  const ResNetOptions& options() const { return options_; }
  int64_t feature_dim() const;     // channels of the last map
  int64_t low_level_dim() const;   // channels after layer1
  at::Tensor last_weight() const;  // of the last convolution

 private:
  ResNetOptions options_;
  ConvNorm stem_;
  std::array<std::shared_ptr<ResNetStage>, 4> stages_;
};

}  // namespace lethe
