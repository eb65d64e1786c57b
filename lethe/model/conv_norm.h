// A convolution and the batch norm behind it, kept together so that they can be folded into one
// convolution for inference. The two are separate modules of the parent, under the names that
// torchvision gives them ("conv1" and "bn1", "0" and "1").
//
// Modules of our own rather than LibTorch's: building torch::nn::Conv2d draws from LibTorch's
// global generator, and its BatchNorm2d refuses a batch with one value per channel.
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
  bool bias = false;  // for a convolution without batch norm behind it
};

// Weights are zero until something fills them. Without options.bias there is none until batch norm
// is folded in.
class Convolution : public torch::nn::Module {
 public:
  explicit Convolution(const ConvOptions& options);

  at::Tensor forward(const at::Tensor& input) const;  // [B, in, H, W] -> [B, out, H', W']

  // From here on multiplies output channels by scale and adds shift, both [out].
  void absorb(const at::Tensor& scale, const at::Tensor& shift);

  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }

 private:
  ConvOptions options_;
  at::Tensor weight_;  // [out, in, kernel, kernel]
  at::Tensor bias_;    // undefined, or [out]
};

// Training: normalises with the batch and updates the running statistics; evaluation: with those.
// A training batch with one value per channel has no variance: it is normalised with the running
// statistics and leaves them alone.
class BatchNorm : public torch::nn::Module {
 public:
  static constexpr double kDefaultMomentum = 0.1;

  explicit BatchNorm(int64_t channels);

  at::Tensor forward(const at::Tensor& input) const;

  // Off: a training pass uses the batch but leaves the running statistics as they are.
  void set_updates(bool on) { updates_ = on; }

  // On: as in evaluation also while training, and weight and bias get no gradient.
  void set_frozen(bool on);

  // How far a training pass moves the running statistics towards those of the batch, (0, 1].
  void set_momentum(double momentum) { momentum_ = momentum; }

  // Evaluation mode as output = input * scale + shift, in float64.
  at::Tensor scale() const;
  at::Tensor shift() const;

 private:
  at::Tensor weight_, bias_, running_mean_, running_var_;  // [channels] each
  double momentum_ = kDefaultMomentum;
  bool updates_ = true;
  bool frozen_ = false;
};

// Every batch norm of a module, however deep.
std::vector<std::shared_ptr<BatchNorm>> batch_norms(const torch::nn::Module& module);

class ConvNorm {
 public:
  ConvNorm() = default;

  // Registers both with parent, which must outlive this.
  ConvNorm(torch::nn::Module& parent, const std::string& conv_name, const std::string& norm_name,
           const ConvOptions& options);

  at::Tensor forward(const at::Tensor& input) const;

  // Moves the norm of evaluation mode into the convolution and takes it out of the parent. The
  // result is for inference only. A second call has no effect.
  void fold();

  const at::Tensor& weight() const { return conv_->weight(); }

 private:
  torch::nn::Module* parent_ = nullptr;
  std::string norm_name_;
  std::shared_ptr<Convolution> conv_;
  std::shared_ptr<BatchNorm> norm_;  // null once folded
};

}  // namespace lethe
