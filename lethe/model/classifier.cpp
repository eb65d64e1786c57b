#include "lethe/model/classifier.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "lethe/core/error.h"
#include "lethe/model/autocast.h"
#include "lethe/model/channels_last.h"
#include "lethe/model/init.h"

namespace lethe {

namespace {

at::Tensor pooled(const at::Tensor& map) { return full_precision(map.mean({2, 3})); }

}  // namespace

ImageClassifier::ImageClassifier(const ImageClassifierOptions& options)
    : options_(options), backbone_(*this, options.backbone) {
  classifier_ = register_module("heads", std::make_shared<CosineHeads>(backbone_.feature_dim()));
  if (options.channels_last) use_channels_last(*this);
}

ImageClassifier::ImageClassifier(const ImageClassifierOptions& options, uint64_t seed)
    : ImageClassifier(options) {
  init_parameters(*this, seed);
}

at::Tensor ImageClassifier::laid_out(const at::Tensor& images) const {
  return options_.channels_last ? to_channels_last(images) : images;
}

at::Tensor ImageClassifier::logits_of(const at::Tensor& features) {
  const Autocast off(false);  // half precision is too coarse for cosines
  return without_erased(classifier_->forward(features));
}

ModelOutput ImageClassifier::forward(const at::Tensor& images) {
  const auto features = pooled(backbone_.forward(laid_out(images)).map);
  return {.features = features, .logits = logits_of(features)};
}

StagedOutput ImageClassifier::forward_stages(const at::Tensor& images) {
  StagedOutput staged;
  for (const auto& map : backbone_.forward_stages(laid_out(images)))
    staged.stages.push_back(pooled(map));
  const auto& features = staged.stages.back();
  staged.output = {.features = features, .logits = logits_of(features)};
  return staged;
}

CosineHeads::Added ImageClassifier::append_head(int64_t count) {
  const auto options = parameters().front().options();
  const auto added = classifier_->add(count, options);
  classifier_->train(is_training());
  heads_.push_back({.first = num_classes(), .count = count});
  return added;
}

void ImageClassifier::add_classes(int64_t count, uint64_t seed) {
  if (folded_) throw Error("a network whose batch norm is folded is for inference only");
  const auto added = append_head(count);
  fill_xavier_normal(added.weight, seed, "heads." + added.name);
}

std::shared_ptr<Network> ImageClassifier::skeleton() const {
  const std::shared_ptr<ImageClassifier> copy(new ImageClassifier(options_));
  for (const auto& head : heads_) copy->append_head(head.count);
  copy->mask(erased());
  if (folded_) copy->fold_batch_norm();
  return copy;
}

void ImageClassifier::fold_batch_norm() {
  backbone_.fold_batch_norm();
  folded_ = true;
}

std::vector<ClassEntry> ImageClassifier::class_entries() const {
  std::vector<ClassEntry> entries;
  for (const auto& head : heads_)
    entries.push_back({.name = fmt::format("heads.{}.weight", entries.size()),
                       .classes = ClassSet::range(head.first, head.count)});
  return entries;
}

}  // namespace lethe
