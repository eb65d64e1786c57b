#include "lethe/model/segmenter.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/model/autocast.h"
#include "lethe/model/channels_last.h"
#include "lethe/model/init.h"

namespace lethe {

namespace {

constexpr const char* kClassifier = "classifier";

// DeepLab-v3+ has 48 channels of layer1's map for 256 head channels.
int64_t low_level_channels(int64_t head_channels) {
  return std::max<int64_t>(8, 48 * head_channels / 256);
}

at::Tensor enlarged(const at::Tensor& map, int64_t height, int64_t width) {
  return at::upsample_bilinear2d(map, {height, width}, /*align_corners=*/false);
}

}  // namespace

Segmenter::Segmenter(const SegmenterOptions& options)
    : options_(options), backbone_(*this, options.backbone) {
  const int64_t channels = options.head_channels;
  if (channels < 1)
    throw_error<ConfigError>("model.head_channels = {}: must be above 0 when the network is built",
                             channels);
  if (options.dropout < 0 || options.dropout >= 1)
    throw_error<ConfigError>("model.dropout = {}: must be in [0, 1)", options.dropout);
  aspp_ = register_module(
      "aspp",
      make_aspp({.kind = options.aspp,
                 .activation = options.aspp_activation,
                 .in = backbone_.feature_dim(),
                 .channels = channels,
                 .dilations = aspp_dilations(options.aspp, options.backbone.output_stride)}));
  int64_t classified = channels;
  if (options.plus) {
    const int64_t low = low_level_channels(channels);
    low_level_.emplace(*register_module("low_level", std::make_shared<torch::nn::Module>()), "0",
                       "1", ConvOptions{.in = backbone_.low_level_dim(), .out = low});
    classified += low;
    if (options.classifier == PixelHeadKind::kLinear) {
      decoder_.emplace(*register_module("decoder", std::make_shared<torch::nn::Module>()), "0", "1",
                       ConvOptions{.in = classified, .out = channels, .kernel = 3});
      classified = channels;
    }
  }
  classifier_ = register_module(kClassifier, make_pixel_heads({.kind = options.classifier,
                                                               .init = options.init,
                                                               .in = classified,
                                                               .hidden = channels}));
  if (options.channels_last) use_channels_last(*this);
}

Segmenter::Segmenter(const SegmenterOptions& options, uint64_t seed) : Segmenter(options) {
  for (const auto& part : named_children()) {
    const bool beyond =
        part.key() == "aspp" || part.key() == "low_level" || part.key() == "decoder";
    (beyond ? init_kaiming : init_parameters)(*part.value(), seed, part.key() + '.');
  }
}

at::Tensor Segmenter::laid_out(const at::Tensor& images) const {
  return options_.channels_last ? to_channels_last(images) : images;
}

ModelOutput Segmenter::forward(const at::Tensor& images) {
  return output_of(backbone_.forward(laid_out(images)), images);
}

StagedOutput Segmenter::forward_stages(const at::Tensor& images) {
  const auto maps = backbone_.forward_stages(laid_out(images));
  StagedOutput staged;
  for (const auto& map : maps) staged.stages.push_back(full_precision(map));
  staged.output = output_of({.low_level = maps.front(), .map = maps.back()}, images);
  return staged;
}

ModelOutput Segmenter::output_of(const BackboneOutput& maps, const at::Tensor& images) {
  auto map = aspp_->forward(maps.map);
  if (options_.dropout > 0 && is_training()) map = at::dropout(map, options_.dropout, true);
  if (low_level_) {
    const auto low = low_level_->forward(maps.low_level).relu_();
    map = at::cat({enlarged(map, low.size(2), low.size(3)), low}, 1);
  }
  if (decoder_) map = decoder_->forward(map).relu_();
  const auto scores = classifier_->forward(map);
  const auto at_full_size = [&](const at::Tensor& score) {
    return enlarged(full_precision(score), images.size(2), images.size(3));
  };
  ModelOutput output;
  output.features = full_precision(maps.map);
  output.logits = without_erased(at_full_size(scores.logits));
  if (scores.unknown.defined()) output.unknown = at_full_size(scores.unknown);
  return output;
}

void Segmenter::append_classes(int64_t count) {
  if (count < 1) throw_error<Error>("a task needs at least one class, got {}", count);
  const auto options = parameters().front().options();
  classifier_->append(count);
  classifier_->to(options.device(), c10::typeMetaToScalarType(options.dtype()));
  if (options_.channels_last) use_channels_last(*classifier_);
  classifier_->train(is_training());
  if (heads_.empty()) heads_.push_back({.first = 0, .count = 1});  // background
  heads_.front().count += count;
  added_.push_back(count);
}

void Segmenter::add_classes(int64_t count, uint64_t seed) {
  if (folded_) throw Error("a network whose batch norm is folded is for inference only");
  append_classes(count);
  classifier_->init_newest(seed, std::string(kClassifier) + '.');
}

std::shared_ptr<Network> Segmenter::skeleton() const {
  const std::shared_ptr<Segmenter> copy(new Segmenter(options_));
  for (const auto count : added_) copy->append_classes(count);
  copy->mask(erased());
  if (folded_) copy->fold_batch_norm();
  return copy;
}

void Segmenter::fold_batch_norm() {
  backbone_.fold_batch_norm();
  aspp_->fold_batch_norm();
  if (low_level_) low_level_->fold();
  if (decoder_) decoder_->fold();
  classifier_->fold_batch_norm();
  folded_ = true;
}

std::vector<ClassEntry> Segmenter::class_entries() const {
  auto entries = classifier_->class_entries();
  for (auto& entry : entries) entry.name = std::string(kClassifier) + '.' + entry.name;
  return entries;
}

}  // namespace lethe
