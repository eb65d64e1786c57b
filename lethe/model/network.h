// A Network turns images into features and class scores. It is independent of datasets, task plans
// and losses. It grows when classes are added and can make a frozen copy of itself (the old model).
// Classes can be erased from it: they are never answered again, and training does not revive them.
//
// Parameter names match torchvision where torchvision has the same module. Not thread-safe.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/core/problem.h"
#include "lethe/core/state_dict.h"

namespace lethe {

struct ModelOutput {
  at::Tensor
      features;  // classification: pooled [B, D]; segmentation: map [B, D, h, w]. Not normalised.
  at::Tensor logits;        // classes in stream order: [B, K] (cosines), or [B, K, H, W]
  at::Tensor unknown = {};  // SSUL only: scores of the unknown class [B, 1, H, W]
};

// The output together with the features of every stage of the backbone.
struct StagedOutput {
  std::vector<at::Tensor> stages;  // from the first to the last, in the form of output.features
  ModelOutput output;
};

// A range of consecutive logit columns: the classes added by one call of add_classes.
struct Head {
  int64_t first = 0;
  int64_t count = 0;
};

// The score of an erased class. It is far below every other score, but finite: 0 * score is 0.
inline constexpr double kErasedLogit = -1e4;

// An entry of named_state() that belongs to classes.
struct ClassEntry {
  std::string name;
  ClassSet classes;
  // Row i belongs to the i-th class. false: the entry belongs to all its classes together.
  bool per_row = true;
};

// Batch norm in training.
struct NormMode {
  bool frozen = false;    // use running statistics; weight and bias get no gradient
  double momentum = 0.1;  // momentum of the running statistics, in (0, 1]
};

class Network : public torch::nn::Module {
 public:
  virtual ModelOutput forward(const at::Tensor& images) = 0;
  virtual Problem problem() const = 0;

  // forward() that also returns the features of every stage: pooled vectors [B, D_k], or maps
  // [B, D_k, h_k, w_k]. A network without stages has one, its features.
  virtual StagedOutput forward_stages(const at::Tensor& images) {
    auto output = forward(images);
    return {.stages = {output.features}, .output = output};
  }

  // The logits of features that were changed after forward(), e.g. erased: [B, D] -> [B, K].
  // Throws Error if the network does not compute its logits from pooled features alone.
  virtual at::Tensor logits_of(const at::Tensor& features);

  // Adds outputs for the classes of a task. New parameters are initialised from a generator keyed
  // by (seed, parameter name), so they do not depend on earlier random draws. Segmentation: the
  // first call also adds background.
  virtual void add_classes(int64_t count, uint64_t seed) = 0;

  // A network of the same architecture with the same heads and the same erased classes, on the CPU.
  // All values are zero; the caller fills them in.
  virtual std::shared_ptr<Network> skeleton() const = 0;

  // Folds batch norm into the convolutions where possible. The network can then only be used for
  // inference.
  virtual void fold_batch_norm() {}

  virtual int64_t feature_dim() const = 0;

  // The shared weight: the last weight that every output depends on. The gradient norms of the loss
  // terms are compared at this weight. An undefined tensor means that they are not measured.
  virtual at::Tensor probe_weight() const { return {}; }

  // Whether a parameter belongs to a head.
  virtual bool is_head_parameter(const std::string& name) const { return name.starts_with("head"); }

  // The entries that belong to classes: the rows of the classifier. erase() zeroes them, and
  // methods erase what they store about them.
  virtual std::vector<ClassEntry> class_entries() const { return {}; }

  // Zeroes the rows of the classes and masks the classes: their logits are kErasedLogit and get no
  // gradient. Optimisers must be made anew, because their momentum would change the rows. Throws
  // Error for classes that the network does not have, and for background.
  void erase(const ClassSet& classes);
  // Masks classes whose rows are zero already: for a model that was loaded. Throws as erase() does.
  void mask(const ClassSet& classes);
  const ClassSet& erased() const { return erased_; }

  const std::vector<Head>& heads() const { return heads_; }
  int64_t num_classes() const;

  // An inference-only copy in evaluation mode: no gradients, batch norm folded, same device and
  // dtype.
  std::shared_ptr<Network> frozen_copy() const;

  torch::Device device() const;

  // Applies to all batch norm layers that exist now. Layers added later by add_classes are not
  // frozen.
  void set_batch_norm(const NormMode& mode);

 protected:
  // Fills the columns (dim 1) of erased classes with kErasedLogit, in place: copies of the logits
  // of a segmentation network are large. Every forward() must call it.
  at::Tensor without_erased(at::Tensor logits);

  std::vector<Head> heads_;

 private:
  ClassSet erased_;
  at::Tensor erased_columns_;  // bool [K] on the device of the last logits; made on first use
};

// Zeroes what belongs to the given classes alone: their rows, or everything if all classes of the
// entry are given. tensor: the entry, or anything with its shape.
void erase_classes(const at::Tensor& tensor, const ClassEntry& entry, const ClassSet& classes);

// Parameters and buffers by name, sharing memory with the module. Checkpoints contain these
// entries.
StateDict named_state(const torch::nn::Module& module);

}  // namespace lethe
