#include "lethe/model/resnet.h"

#include <ATen/ATen.h>

#include <string>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

struct Architecture {
  int depth;
  bool bottleneck;
  std::array<int64_t, 4> blocks;  // per stage
};

constexpr std::array<Architecture, 4> kArchitectures = {{{18, false, {2, 2, 2, 2}},
                                                         {34, false, {3, 4, 6, 3}},
                                                         {50, true, {3, 4, 6, 3}},
                                                         {101, true, {3, 4, 23, 3}}}};

const Architecture& architecture_of(int depth) {
  for (const auto& known : kArchitectures) {
    if (known.depth == depth) return known;
  }
  throw_error<ConfigError>("unknown ResNet depth {}; known: 18, 34, 50, 101", depth);
}

int64_t expansion(const ResNetOptions& options) {
  return architecture_of(options.depth).bottleneck ? 4 : 1;
}

ConvOptions stem_convolution(const ResNetOptions& options) {
  ConvOptions conv = {.in = options.in_channels, .out = options.width, .kernel = 3};
  if (options.stem == Stem::kImagenet) conv.kernel = 7;
  if (options.stem != Stem::kCifar) conv.stride = 2;
  return conv;
}

struct BlockOptions {
  bool bottleneck = false;
  int64_t in = 0;
  int64_t planes = 0;  // channels of the 3x3 convolutions
  int64_t out = 0;
  int64_t stride = 1;
  int64_t dilation = 1;        // dilation of the 3x3 convolution with the stride
  int64_t later_dilation = 1;  // dilation of the 3x3 convolutions after it
};

std::vector<ConvOptions> convolutions(const BlockOptions& o) {
  const ConvOptions spatial = {.in = o.bottleneck ? o.planes : o.in,
                               .out = o.planes,
                               .kernel = 3,
                               .stride = o.stride,
                               .dilation = o.dilation};
  if (o.bottleneck) {
    return {{.in = o.in, .out = o.planes}, spatial, {.in = o.planes, .out = o.out}};
  }
  return {spatial, {.in = o.planes, .out = o.out, .kernel = 3, .dilation = o.later_dilation}};
}

// A basic or bottleneck block: consecutive convolutions plus a shortcut.
class ResNetBlock : public torch::nn::Module {
 public:
  explicit ResNetBlock(const BlockOptions& options) {
    for (const auto& conv : convolutions(options)) {
      const auto number = std::to_string(path_.size() + 1);
      path_.emplace_back(*this, "conv" + number, "bn" + number, conv);
    }
    if (options.stride != 1 || options.in != options.out) {
      const auto scope = register_module("downsample", std::make_shared<torch::nn::Module>());
      projection_ = std::make_unique<ConvNorm>(
          *scope, "0", "1",
          ConvOptions{.in = options.in, .out = options.out, .stride = options.stride});
    }
  }

  at::Tensor forward(const at::Tensor& input) const {
    auto output = path_.front().forward(input);
    for (size_t i = 1; i < path_.size(); ++i) output = path_[i].forward(output.relu_());
    output += projection_ ? projection_->forward(input) : input;
    return output.relu_();
  }

  void fold() {
    for (auto& part : path_) part.fold();
    if (projection_) projection_->fold();
  }

  const at::Tensor& last_weight() const { return path_.back().weight(); }

 private:
  std::vector<ConvNorm> path_;
  std::unique_ptr<ConvNorm> projection_;  // null: the shortcut is the identity
};

}  // namespace

int64_t stem_stride(Stem stem) {
  return stem == Stem::kImagenet ? 4 : stem == Stem::kCifarS2 ? 2 : 1;
}

// Consecutive blocks, named 0, 1, ...; the first block changes size and channels.
class ResNetStage : public torch::nn::Module {
 public:
  ResNetStage(const BlockOptions& first, int64_t count) {
    add(first);
    auto rest = first;
    rest.in = first.out;
    rest.stride = 1;
    rest.dilation = first.later_dilation;
    for (int64_t i = 1; i < count; ++i) add(rest);
  }

  at::Tensor forward(at::Tensor map) const {
    for (const auto& block : blocks_) map = block->forward(map);
    return map;
  }

  void fold() {
    for (const auto& block : blocks_) block->fold();
  }

  const at::Tensor& last_weight() const { return blocks_.back()->last_weight(); }

 private:
  void add(const BlockOptions& options) {
    const auto name = std::to_string(blocks_.size());
    blocks_.push_back(register_module(name, std::make_shared<ResNetBlock>(options)));
  }

  std::vector<std::shared_ptr<ResNetBlock>> blocks_;
};

ResNet::ResNet(torch::nn::Module& parent, const ResNetOptions& options) : options_(options) {
  const auto& architecture = architecture_of(options.depth);
  if (options.width < 1 || options.in_channels < 1) {
    throw_error<ConfigError>("a ResNet needs width and channels above 0, got {} and {}",
                             options.width, options.in_channels);
  }
  if (options.output_stride != 8 && options.output_stride != 16 && options.output_stride != 32) {
    throw_error<ConfigError>("output stride {}: must be 8, 16 or 32", options.output_stride);
  }
  stem_ = ConvNorm(parent, "conv1", "bn1", stem_convolution(options));
  int64_t total_stride = stem_stride(options.stem);
  int64_t dilation = 1;
  BlockOptions first = {.bottleneck = architecture.bottleneck, .out = options.width};
  for (size_t i = 0; i < stages_.size(); ++i) {
    first.in = first.out;
    first.planes = options.width << i;
    first.out = first.planes * expansion(options);
    first.stride = i == 0 ? 1 : 2;
    // After a stride was replaced by dilation, neighbouring inputs of later layers are twice as far
    // apart.
    first.dilation = dilation;
    if (total_stride * first.stride > options.output_stride) {
      dilation *= first.stride;
      first.stride = 1;
    }
    first.later_dilation = dilation;
    total_stride *= first.stride;
    stages_[i] =
        parent.register_module("layer" + std::to_string(i + 1),
                               std::make_shared<ResNetStage>(first, architecture.blocks[i]));
  }
}

at::Tensor ResNet::forward_stem(const at::Tensor& images) const {
  require_shape("images", images, {kAnySize, options_.in_channels, kAnySize, kAnySize});
  auto map = stem_.forward(images).relu_();
  if (options_.stem == Stem::kImagenet) map = at::max_pool2d(map, {3, 3}, {2, 2}, {1, 1});
  return map;
}

BackboneOutput ResNet::forward(const at::Tensor& images) const {
  BackboneOutput output;
  output.low_level = stages_[0]->forward(forward_stem(images));
  output.map = output.low_level;
  for (size_t i = 1; i < stages_.size(); ++i) output.map = stages_[i]->forward(output.map);
  return output;
}

StageMaps ResNet::forward_stages(const at::Tensor& images) const {
  StageMaps maps;
  maps[0] = stages_[0]->forward(forward_stem(images));
  for (size_t i = 1; i < stages_.size(); ++i) maps[i] = stages_[i]->forward(maps[i - 1]);
  return maps;
}

void ResNet::fold_batch_norm() {
  stem_.fold();
  for (const auto& stage : stages_) stage->fold();
}

int64_t ResNet::feature_dim() const { return 8 * options_.width * expansion(options_); }

at::Tensor ResNet::last_weight() const { return stages_.back()->last_weight(); }

int64_t ResNet::low_level_dim() const { return options_.width * expansion(options_); }

}  // namespace lethe
