#include "lethe/model/pixel_heads.h"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/model/conv_norm.h"
#include "lethe/model/init.h"

namespace lethe {

namespace {

// LibTorch's default initialisation of a 1x1 convolution.
void draw(const Convolution& conv, uint64_t seed, const std::string& name) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(conv.weight().size(1)));
  fill_uniform(conv.weight(), bound, seed, name + ".weight");
  fill_uniform(conv.bias(), bound, seed, name + ".bias");
}

void require_classes(bool has_some) {
  if (!has_some) throw Error("the classifier has no classes yet; call add_classes first");
}

class LinearHeads : public PixelHeads {
 public:
  explicit LinearHeads(const PixelHeadsOptions& options) : options_(options) {}

  PixelScores forward(const at::Tensor& map) const override {
    require_classes(!heads_.empty());
    std::vector<at::Tensor> scores;
    for (const auto& head : heads_) scores.push_back(head->forward(map));
    return {.logits = at::cat(scores, 1), .unknown = {}};
  }

  void append(int64_t count) override {
    const int64_t rows = count + (heads_.empty() ? 1 : 0);
    heads_.push_back(register_module(
        std::to_string(heads_.size()),
        std::make_shared<Convolution>(ConvOptions{.in = options_.in, .out = rows, .bias = true})));
  }

  void init_newest(uint64_t seed, const std::string& prefix) override {
    const auto& newest = *heads_.back();
    if (heads_.size() == 1 || options_.init == NewClassInit::kDefault) {
      draw(newest, seed, prefix + std::to_string(heads_.size() - 1));
      return;
    }
    const at::NoGradGuard no_grad;
    const auto& first = *heads_.front();
    const auto share = std::log(static_cast<double>(newest.weight().size(0) + 1));
    first.bias().select(0, 0).sub_(share);
    newest.weight().copy_(first.weight().narrow(0, 0, 1).expand_as(newest.weight()));
    newest.bias().copy_(first.bias().narrow(0, 0, 1).expand_as(newest.bias()));
  }

  std::vector<ClassEntry> class_entries() const override {
    std::vector<ClassEntry> entries;
    ClassId first = 0;
    for (size_t i = 0; i < heads_.size(); ++i) {
      const auto classes = ClassSet::range(first, heads_[i]->weight().size(0));
      for (const char* part : {".weight", ".bias"})
        entries.push_back({.name = std::to_string(i) + part, .classes = classes});
      first += classes.size();
    }
    return entries;
  }

 private:
  PixelHeadsOptions options_;
  std::vector<std::shared_ptr<Convolution>> heads_;
};

class SsulHead : public torch::nn::Module {
 public:
  SsulHead(const PixelHeadsOptions& o, int64_t outputs)
      : spatial_(*this, "0", "1", {.in = o.in, .out = o.hidden, .kernel = 3}) {
    last_ = register_module(kLast, std::make_shared<Convolution>(
                                       ConvOptions{.in = o.hidden, .out = outputs, .bias = true}));
  }

  at::Tensor forward(const at::Tensor& map) const {
    return last_->forward(spatial_.forward(map).relu_());
  }

  void init(uint64_t seed, const std::string& name) {
    fill_kaiming_normal(spatial_.weight(), seed, name + ".0.weight");
    draw(*last_, seed, name + '.' + kLast);
  }

  // Copies all values of other. Its single output row is repeated for every output.
  void start_as(const SsulHead& other) {
    const at::NoGradGuard no_grad;
    const auto from = named_state(other);
    for (const auto& [name, tensor] : named_state(*this))
      tensor.copy_(from.at(name).expand_as(tensor));
  }

  void fold_batch_norm() { spatial_.fold(); }

  int64_t outputs() const { return last_->weight().size(0); }

  // Whether an entry of named_state() has one row per output.
  static bool is_of_outputs(const std::string& name) {
    return name.starts_with(std::string(kLast) + '.');
  }

 private:
  static constexpr const char* kLast = "3";

  ConvNorm spatial_;
  std::shared_ptr<Convolution> last_;
};

class SsulHeads : public PixelHeads {
 public:
  explicit SsulHeads(const PixelHeadsOptions& options) : options_(options) {}

  PixelScores forward(const at::Tensor& map) const override {
    require_classes(!tasks_.empty());
    std::vector<at::Tensor> scores = {background_->forward(map)};
    for (const auto& head : tasks_) scores.push_back(head->forward(map));
    return {.logits = at::cat(scores, 1), .unknown = unknown_->forward(map)};
  }

  void append(int64_t count) override {
    if (tasks_.empty()) {
      unknown_ = register_module("unknown", std::make_shared<SsulHead>(options_, 1));
      background_ = register_module("background", std::make_shared<SsulHead>(options_, 1));
    }
    tasks_.push_back(register_module(std::to_string(tasks_.size()),
                                     std::make_shared<SsulHead>(options_, count)));
  }

  void init_newest(uint64_t seed, const std::string& prefix) override {
    if (tasks_.size() == 1) {
      unknown_->init(seed, prefix + "unknown");
      background_->init(seed, prefix + "background");
    }
    if (tasks_.size() > 1 && options_.init == NewClassInit::kUnknown) {
      tasks_.back()->start_as(*unknown_);
    } else {
      tasks_.back()->init(seed, prefix + std::to_string(tasks_.size() - 1));
    }
  }

  void fold_batch_norm() override {
    if (tasks_.empty()) return;
    unknown_->fold_batch_norm();
    background_->fold_batch_norm();
    for (const auto& head : tasks_) head->fold_batch_norm();
  }

  // The 3x3 convolution and the norm of a head belong to all its classes.
  std::vector<ClassEntry> class_entries() const override {
    std::vector<ClassEntry> entries;
    ClassId first = 1;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const auto classes = ClassSet::range(first, tasks_[i]->outputs());
      for (const auto& [name, tensor] : named_state(*tasks_[i]))
        entries.push_back({.name = std::to_string(i) + '.' + name,
                           .classes = classes,
                           .per_row = SsulHead::is_of_outputs(name)});
      first += classes.size();
    }
    return entries;
  }

 private:
  PixelHeadsOptions options_;
  std::shared_ptr<SsulHead> unknown_, background_;
  std::vector<std::shared_ptr<SsulHead>> tasks_;
};

}  // namespace

std::shared_ptr<PixelHeads> make_pixel_heads(const PixelHeadsOptions& options) {
  if (options.kind == PixelHeadKind::kSsul) {
    if (options.init == NewClassInit::kBackground)
      throw ConfigError(
          "model.init = \"background\" needs model.classifier = \"linear\"; with \"ssul\" use "
          "unknown or default");
    return std::make_shared<SsulHeads>(options);
  }
  if (options.init == NewClassInit::kUnknown)
    throw ConfigError(
        "model.init = \"unknown\" needs the unknown head of model.classifier = "
        "\"ssul\"");
  return std::make_shared<LinearHeads>(options);
}

}  // namespace lethe
