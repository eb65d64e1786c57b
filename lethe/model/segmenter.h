// The segmentation network: DeepLab-v3+ (default) or v3 on a ResNet (specification 3.2).
//
//   images -> backbone -> map (the features) -> ASPP -> dropout
//     v3   -> classifier
//     v3+  -> upsample to layer1's size, concatenate with layer1's map reduced to few channels
//             (low_level) -> decoder 3x3 -> classifier
//   -> logits, upsampled to the image size
//
// With the ssul classifier there is no decoder, because each of its heads has a 3x3 convolution.
// Features are the backbone's map [B, D, h, w]. Logits are [B, K, H, W]: background, then the
// classes in stream order. All classes form one head (Problem::kMasks). Features and logits are
// float32, also under autocast.
//
// State names: torchvision's for the backbone (conv1.weight, ...), then aspp.*, low_level.*,
// decoder.*, classifier.* (see aspp.h and pixel_heads.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lethe/model/aspp.h"
#include "lethe/model/network.h"
#include "lethe/model/pixel_heads.h"
#include "lethe/model/resnet.h"

namespace lethe {

struct SegmenterOptions {
  ResNetOptions backbone = {.depth = 101, .output_stride = 16};
  bool plus = true;  // v3+, with a decoder
  AsppKind aspp = AsppKind::kStandard;
  Activation aspp_activation = Activation::kRelu;  // for AsppKind::kMib
  int64_t head_channels = 256;  // channels of ASPP, decoder and SSUL's heads, > 0
  PixelHeadKind classifier = PixelHeadKind::kLinear;
  NewClassInit init = NewClassInit::kDefault;
  double dropout = 0.1;  // dropout after ASPP, in [0, 1)
  bool channels_last = false;
};

class Segmenter : public Network {
 public:
  // Initialises the weights from seed: the backbone as in ImageClassifier, the rest Kaiming-normal.
  // There are no classes yet. Throws ConfigError if an option is out of range.
  Segmenter(const SegmenterOptions& options, uint64_t seed);

  ModelOutput forward(const at::Tensor& images) override;  // [B, in_channels, H, W]
  StagedOutput forward_stages(const at::Tensor& images) override;
  Problem problem() const override { return Problem::kMasks; }
  void add_classes(int64_t count, uint64_t seed) override;
  std::shared_ptr<Network> skeleton() const override;
  void fold_batch_norm() override;
  std::vector<ClassEntry> class_entries() const override;

  const SegmenterOptions& options() const { return options_; }
  int64_t feature_dim() const override { return backbone_.feature_dim(); }
  at::Tensor probe_weight() const override { return backbone_.last_weight(); }
  bool is_head_parameter(const std::string& name) const override {
    return name.starts_with("classifier.");
  }

 private:
  explicit Segmenter(const SegmenterOptions& options);  // all weights are zero

  void append_classes(int64_t count);
  at::Tensor laid_out(const at::Tensor& images) const;
  ModelOutput output_of(const BackboneOutput& maps, const at::Tensor& images);

  SegmenterOptions options_;
  ResNet backbone_;
  std::shared_ptr<Aspp> aspp_;
  std::optional<ConvNorm> low_level_, decoder_;
  std::shared_ptr<PixelHeads> classifier_;
  std::vector<int64_t> added_;  // arguments of the calls of add_classes
  bool folded_ = false;
};

}  // namespace lethe
