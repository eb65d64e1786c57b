// A Network turns images into features and class scores. It knows no data set, no task plan and no
// loss; it only grows when classes arrive, and can make a frozen copy of itself: the old model.
//
// Parameter names are torchvision's where torchvision has the module. One thread at a time.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lethe/core/problem.h"
#include "lethe/core/state_dict.h"

namespace lethe {

struct ModelOutput {
  at::Tensor
      features;  // classification: pooled [B, D]; segmentation: map [B, D, h, w]. Not normalised.
  at::Tensor logits;        // classes in stream order: [B, K] (cosines), or [B, K, H, W]
  at::Tensor unknown = {};  // of a network with an unknown class (SSUL): its scores [B, 1, H, W]
};

// A run of consecutive columns of the logits: the classes that one call of add_classes brought.
struct Head {
  int64_t first = 0;
  int64_t count = 0;
};

// How batch norm behaves in training.
struct NormMode {
  bool frozen = false;    // as in evaluation, weight and bias without gradient
  double momentum = 0.1;  // of the running statistics, (0, 1]
};

class Network : public torch::nn::Module {
 public:
  virtual ModelOutput forward(const at::Tensor& images) = 0;
  virtual Problem problem() const = 0;

  // Adds the outputs of a task's classes. New parameters are drawn from (seed, parameter name), so
  // that the result does not depend on what else was drawn before. Segmentation: the first call
  // brings background as well.
  virtual void add_classes(int64_t count, uint64_t seed) = 0;

  // The same architecture with the same heads, on the CPU. Values are zero: to be filled.
  virtual std::shared_ptr<Network> skeleton() const = 0;

  // Folds batch norm into the convolutions where it can. Afterwards the network is for inference
  // only.
  virtual void fold_batch_norm() {}

  virtual int64_t feature_dim() const = 0;

  // The last weight that every output depends on: where the gradients of loss terms are compared.
  // Undefined: not measured.
  virtual at::Tensor probe_weight() const { return {}; }

  // Whether a parameter belongs to the outputs of one task's classes.
  virtual bool is_head_parameter(const std::string& name) const { return name.starts_with("head"); }

  const std::vector<Head>& heads() const { return heads_; }
  int64_t num_classes() const;

  // An inference-only copy in evaluation mode: no gradients, batch norm folded, same device and
  // dtype.
  std::shared_ptr<Network> frozen_copy() const;

  torch::Device device() const;

  // Of every batch norm that is there by now. add_classes may bring others, which are not frozen.
  void set_batch_norm(const NormMode& mode);

 protected:
  std::vector<Head> heads_;
};

// Parameters and buffers by name, sharing memory with the module: what a checkpoint holds.
StateDict named_state(const torch::nn::Module& module);

}  // namespace lethe
