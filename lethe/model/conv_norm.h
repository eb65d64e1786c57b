// A convolution followed by batch norm, kept together so that they can be folded into one
// convolution for inference. Both are separate modules of the parent, with torchvision's names
// ("conv1" and "bn1", "0" and "1").
//
// We do not use LibTorch's modules for two reasons: the constructor of torch::nn::Conv2d uses
// LibTorch's global generator, and BatchNorm2d rejects a batch with one value per channel.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lethe {

struct ConvOptions {
  int64_t in = 0;      // channels, > 0
  int64_t out = 0;     // channels, > 0
  int64_t kernel = 1;  // odd; padded so that stride 1 keeps the size
  int64_t stride = 1;
  int64_t dilation = 1;
  bool bias = false;  // for a convolution that no batch norm follows
};

// Weights are zero until they are initialised or loaded. Without options.bias there is no bias
// until batch norm is folded in.
class Convolution : public torch::nn::Module {
 public:
  explicit Convolution(const ConvOptions& options);

  at::Tensor forward(const at::Tensor& input) const;  // [B, in, H, W] -> [B, out, H', W']

  // Changes weight and bias so that output channels are multiplied by scale and shifted by shift,
  // both [out].
  void absorb(const at::Tensor& scale, const at::Tensor& shift);

  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }

 private:
  ConvOptions options_;
  at::Tensor weight_;  // [out, in, kernel, kernel]
  at::Tensor bias_;    // [out], or undefined
};

// Normalises with the statistics of the batch in training, and updates the running statistics. Uses
// the running statistics in evaluation. A training batch with one value per channel has no
// variance. It is normalised with the running statistics and does not update them.
class BatchNorm : public torch::nn::Module {
 public:
  static constexpr double kDefaultMomentum = 0.1;

  explicit BatchNorm(int64_t channels);

  at::Tensor forward(const at::Tensor& input) const;

  // Off: training passes normalise with the batch but do not update the running statistics.
  void set_updates(bool on) { updates_ = on; }

  // On: training uses the running statistics too, and weight and bias get no gradient.
  void set_frozen(bool on);

  // Momentum of the running statistics, in (0, 1]: the weight of the current batch.
  void set_momentum(double momentum) { momentum_ = momentum; }

  // In evaluation mode, output = input * scale + shift; scale and shift are float64.
  at::Tensor scale() const;
  at::Tensor shift() const;

 private:
  at::Tensor weight_, bias_, running_mean_, running_var_;  // [channels] each
  double momentum_ = kDefaultMomentum;
  bool updates_ = true;
  bool frozen_ = false;
};

// All batch norm layers of a module, at any depth.
std::vector<std::shared_ptr<BatchNorm>> batch_norms(const torch::nn::Module& module);

class ConvNorm {
 public:
  ConvNorm() = default;

  // Registers both modules with parent, which must outlive this object.
  ConvNorm(torch::nn::Module& parent, const std::string& conv_name, const std::string& norm_name,
           const ConvOptions& options);

  at::Tensor forward(const at::Tensor& input) const;

  // Folds the norm, as in evaluation mode, into the convolution and removes it from the parent. The
  // network can then only be used for inference. A second call has no effect.
  void fold();

  const at::Tensor& weight() const { return conv_->weight(); }

 private:
  torch::nn::Module* parent_ = nullptr;
  std::string norm_name_;
  std::shared_ptr<Convolution> conv_;
  std::shared_ptr<BatchNorm> norm_;  // null after folding
};

}  // namespace lethe
