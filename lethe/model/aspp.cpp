#include "lethe/model/aspp.h"

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "lethe/model/conv_norm.h"

namespace lethe {

namespace {

at::Tensor image_mean(const at::Tensor& map) { return map.mean({2, 3}, /*keepdim=*/true); }

// The 1x1 branch and the dilated 3x3 branches, registered as convs.<i>.0 and convs.<i>.1 in scope.
std::vector<ConvNorm> spatial_branches(torch::nn::Module& scope, const AsppOptions& o) {
  std::vector<ConvNorm> branches;
  const auto add = [&](const ConvOptions& conv) {
    const auto name = std::to_string(branches.size());
    branches.emplace_back(*scope.register_module(name, std::make_shared<torch::nn::Module>()), "0",
                          "1", conv);
  };
  add({.in = o.in, .out = o.channels});
  for (const auto dilation : o.dilations)
    add({.in = o.in, .out = o.channels, .kernel = 3, .dilation = dilation});
  return branches;
}

class StandardAspp : public Aspp {
 public:
  explicit StandardAspp(const AsppOptions& o) {
    const auto convs = register_module("convs", std::make_shared<torch::nn::Module>());
    branches_ = spatial_branches(*convs, o);
    mean_ = ConvNorm(*convs->register_module("4", std::make_shared<torch::nn::Module>()), "1", "2",
                     {.in = o.in, .out = o.channels});
    project_ = ConvNorm(*register_module("project", std::make_shared<torch::nn::Module>()), "0",
                        "1", {.in = 5 * o.channels, .out = o.channels});
  }

  at::Tensor forward(const at::Tensor& map) const override {
    std::vector<at::Tensor> views;
    for (const auto& branch : branches_) views.push_back(branch.forward(map).relu_());
    const auto mean = mean_.forward(image_mean(map)).relu_();
    views.push_back(mean.expand({-1, -1, map.size(2), map.size(3)}));
    return project_.forward(at::cat(views, 1)).relu_();
  }

  void fold_batch_norm() override {
    for (auto& branch : branches_) branch.fold();
    mean_.fold();
    project_.fold();
  }

 private:
  std::vector<ConvNorm> branches_;
  ConvNorm mean_;
  ConvNorm project_;
};

at::Tensor activate(const at::Tensor& map, Activation activation) {
  if (activation == Activation::kNone) return map;
  return activation == Activation::kRelu ? map.relu() : at::leaky_relu(map, 0.01);
}

class MibAspp : public Aspp {
 public:
  explicit MibAspp(const AsppOptions& o) : activation_(o.activation) {
    // Normalising the concatenation equals normalising each branch, so each branch has its own
    // norm.
    branches_ =
        spatial_branches(*register_module("convs", std::make_shared<torch::nn::Module>()), o);
    mean_ = ConvNorm(*register_module("mean", std::make_shared<torch::nn::Module>()), "0", "1",
                     {.in = o.in, .out = o.channels});
    const int64_t concatenated = static_cast<int64_t>(branches_.size()) * o.channels;
    reduce_ = register_module("reduce", std::make_shared<Convolution>(
                                            ConvOptions{.in = concatenated, .out = o.channels}));
    reduce_mean_ = register_module("reduce_mean", std::make_shared<Convolution>(ConvOptions{
                                                      .in = o.channels, .out = o.channels}));
    norm_ = register_module("norm", std::make_shared<BatchNorm>(o.channels));
  }

  at::Tensor forward(const at::Tensor& map) const override {
    std::vector<at::Tensor> views;
    for (const auto& branch : branches_) views.push_back(branch.forward(map));
    const auto local = reduce_->forward(activate(at::cat(views, 1), activation_));
    const auto mean = reduce_mean_->forward(activate(mean_.forward(image_mean(map)), activation_));
    const auto sum = local + mean;
    return activate(norm_ ? norm_->forward(sum) : sum, activation_);
  }

  void fold_batch_norm() override {
    for (auto& branch : branches_) branch.fold();
    mean_.fold();
    if (!norm_) return;
    // The norm applies to a sum: both terms get the scale, only one gets the shift.
    reduce_->absorb(norm_->scale(), norm_->shift());
    reduce_mean_->absorb(norm_->scale(), at::zeros_like(norm_->shift()));
    unregister_module("norm");
    norm_ = nullptr;
  }

 private:
  Activation activation_;
  std::vector<ConvNorm> branches_;
  ConvNorm mean_;
  std::shared_ptr<Convolution> reduce_;
  std::shared_ptr<Convolution> reduce_mean_;
  std::shared_ptr<BatchNorm> norm_;  // null after folding
};

}  // namespace

std::shared_ptr<Aspp> make_aspp(const AsppOptions& options) {
  if (options.kind == AsppKind::kMib) return std::make_shared<MibAspp>(options);
  return std::make_shared<StandardAspp>(options);
}

std::array<int64_t, 3> aspp_dilations(AsppKind kind, int64_t output_stride) {
  if (output_stride == 8) return {12, 24, kind == AsppKind::kMib ? 32 : 36};
  return {6, 12, 18};
}

}  // namespace lethe
