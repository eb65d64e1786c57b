#include "lethe/model/conv_norm.h"

#include <ATen/ATen.h>

#include <array>

#include "lethe/core/error.h"

namespace lethe {

namespace {

constexpr double kEpsilon = 1e-5;

}  // namespace

Convolution::Convolution(const ConvOptions& options) : options_(options) {
  weight_ = register_parameter(
      "weight", at::zeros({options.out, options.in, options.kernel, options.kernel}));
  if (options.bias) bias_ = register_parameter("bias", at::zeros({options.out}));
}

at::Tensor Convolution::forward(const at::Tensor& input) const {
  const std::array<int64_t, 2> stride = {options_.stride, options_.stride};
  const std::array<int64_t, 2> dilation = {options_.dilation, options_.dilation};
  const int64_t pad = options_.dilation * (options_.kernel / 2);
  const std::array<int64_t, 2> padding = {pad, pad};
  return at::conv2d(input, weight_, bias_, at::IntArrayRef(stride), at::IntArrayRef(padding),
                    at::IntArrayRef(dilation));
}

void Convolution::absorb(const at::Tensor& scale, const at::Tensor& shift) {
  at::NoGradGuard no_grad;
  const auto type = weight_.scalar_type();
  weight_.copy_(weight_.to(at::kDouble) * scale.view({-1, 1, 1, 1}));
  if (bias_.defined()) {
    bias_.copy_(bias_.to(at::kDouble) * scale + shift);
  } else {
    bias_ = register_parameter("bias", shift.to(type), weight_.requires_grad());
  }
}

BatchNorm::BatchNorm(int64_t channels) {
  weight_ = register_parameter("weight", at::ones({channels}));
  bias_ = register_parameter("bias", at::zeros({channels}));
  running_mean_ = register_buffer("running_mean", at::zeros({channels}));
  running_var_ = register_buffer("running_var", at::ones({channels}));
}

at::Tensor BatchNorm::forward(const at::Tensor& input) const {
  const int64_t values_per_channel = input.numel() / input.size(1);
  const bool use_batch = is_training() && !frozen_ && values_per_channel > 1;
  const bool update = use_batch && updates_;
  return at::batch_norm(input, weight_, bias_, use_batch && !update ? at::Tensor() : running_mean_,
                        use_batch && !update ? at::Tensor() : running_var_, use_batch, momentum_,
                        kEpsilon, at::globalContext().userEnabledCuDNN());
}

void BatchNorm::set_frozen(bool on) {
  frozen_ = on;
  weight_.set_requires_grad(!on);
  bias_.set_requires_grad(!on);
}

std::vector<std::shared_ptr<BatchNorm>> batch_norms(const torch::nn::Module& module) {
  std::vector<std::shared_ptr<BatchNorm>> found;
  for (const auto& part : module.modules(/*include_self=*/false)) {
    if (auto norm = std::dynamic_pointer_cast<BatchNorm>(part)) found.push_back(std::move(norm));
  }
  return found;
}

at::Tensor BatchNorm::scale() const {
  return weight_.detach().to(at::kDouble) / (running_var_.to(at::kDouble) + kEpsilon).sqrt();
}

at::Tensor BatchNorm::shift() const {
  return bias_.detach().to(at::kDouble) - running_mean_.to(at::kDouble) * scale();
}

ConvNorm::ConvNorm(torch::nn::Module& parent, const std::string& conv_name,
                   const std::string& norm_name, const ConvOptions& options)
    : parent_(&parent), norm_name_(norm_name) {
  conv_ = parent.register_module(conv_name, std::make_shared<Convolution>(options));
  norm_ = parent.register_module(norm_name, std::make_shared<BatchNorm>(options.out));
}

at::Tensor ConvNorm::forward(const at::Tensor& input) const {
  const auto output = conv_->forward(input);
  return norm_ ? norm_->forward(output) : output;
}

void ConvNorm::fold() {
  if (!norm_) return;
  conv_->absorb(norm_->scale(), norm_->shift());
  parent_->unregister_module(norm_name_);
  norm_ = nullptr;
}

}  // namespace lethe
