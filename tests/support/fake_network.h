// For tests of methods and the trainer: a network that is small enough to check by hand.
#pragma once

#include "lethe/model/init.h"
#include "lethe/model/network.h"
#include "lethe/model/torch.h"

namespace lethe::test {

// A linear backbone without batch norm: features = W x (x flattened). Each task has a linear head.
// Counts its forward passes.
class LinearNetwork : public Network {
 public:
  explicit LinearNetwork(int64_t inputs, int64_t dim = 4) : inputs_(inputs), dim_(dim) {
    trunk_ =
        register_parameter("trunk", torch::linspace(-1, 1, dim * inputs).reshape({dim, inputs}));
  }

  ModelOutput forward(const at::Tensor& images) override {
    ++passes;
    const auto features = images.flatten(1).matmul(trunk_.t());
    return {features, logits_of(features)};
  }
  at::Tensor logits_of(const at::Tensor& features) override {
    std::vector<at::Tensor> logits;
    for (const auto& head : weights_) logits.push_back(features.matmul(head.t()));
    return without_erased(torch::cat(logits, 1));
  }
  Problem problem() const override { return Problem::kImages; }
  int64_t feature_dim() const override { return dim_; }
  at::Tensor probe_weight() const override { return trunk_; }
  void add_classes(int64_t count, uint64_t) override {
    const auto name = "head" + std::to_string(weights_.size());
    weights_.push_back(
        register_parameter(name, torch::linspace(0.5, -0.5, count * dim_).reshape({count, dim_})));
    heads_.push_back({num_classes(), count});
  }
  std::shared_ptr<Network> skeleton() const override {
    auto copy = std::make_shared<LinearNetwork>(inputs_, dim_);
    for (const auto& head : heads_) copy->add_classes(head.count, 0);
    copy->mask(erased());
    return copy;
  }
  std::vector<ClassEntry> class_entries() const override {
    std::vector<ClassEntry> entries;
    for (const auto& head : heads_)
      entries.push_back({.name = "head" + std::to_string(entries.size()),
                         .classes = ClassSet::range(head.first, head.count)});
    return entries;
  }

  int passes = 0;

 private:
  int64_t inputs_;
  int64_t dim_;
  at::Tensor trunk_;
  std::vector<at::Tensor> weights_;
};

}  // namespace lethe::test
