// The image classifier: a ResNet, global average pooling, and one cosine head per task. Features
// are the pooled vectors [B, D]. Logits are their cosines with the class weights.
//
// State names match torchvision (conv1.weight, layer1.0.bn1.running_mean, ...), plus
// heads.<k>.weight.
#pragma once

#include <cstdint>
#include <memory>

#include "lethe/model/cosine_head.h"
#include "lethe/model/network.h"
#include "lethe/model/resnet.h"

namespace lethe {

struct ImageClassifierOptions {
  ResNetOptions backbone;
  bool channels_last = false;  // memory layout; same results up to rounding
};

class ImageClassifier : public Network {
 public:
  // Initialises the weights from seed. There are no classes yet. Throws ConfigError if an option is
  // out of range.
  ImageClassifier(const ImageClassifierOptions& options, uint64_t seed);

  ModelOutput forward(const at::Tensor& images) override;  // [B, in_channels, H, W]
  StagedOutput forward_stages(const at::Tensor& images) override;
  at::Tensor logits_of(const at::Tensor& features) override;
  Problem problem() const override { return Problem::kImages; }
  void add_classes(int64_t count, uint64_t seed) override;
  std::shared_ptr<Network> skeleton() const override;
  void fold_batch_norm() override;
  std::vector<ClassEntry> class_entries() const override;

  const ImageClassifierOptions& options() const { return options_; }
  int64_t feature_dim() const override { return backbone_.feature_dim(); }
  at::Tensor probe_weight() const override { return backbone_.last_weight(); }

 private:
  explicit ImageClassifier(const ImageClassifierOptions& options);  // all weights are zero

  CosineHeads::Added append_head(int64_t count);
  at::Tensor laid_out(const at::Tensor& images) const;

  ImageClassifierOptions options_;
  ResNet backbone_;
  std::shared_ptr<CosineHeads> classifier_;
  bool folded_ = false;
};

}  // namespace lethe
