// The linear maps F -> F* -> F** (D -> D/2 -> D/4) of the contrastive method. Only L_in^d uses them
// (specification 5.14.1). They are linear, so the prototype in a projected space is the projected
// prototype.
#pragma once

#include <cstddef>
#include <vector>

#include "lethe/method/method.h"

namespace lethe {

struct ProjectionOptions {
  size_t depth = 2;    // number of maps, 0 to 2
  int64_t kernel = 1;  // 1: maps each row independently; 3: 3x3 convolution over the feature map
  bool trainable = true;
};

class Projections;

// F (index 0), F* (1) or F** (2).
struct FeatureSpace {
  const Projections& projections;
  size_t index = 0;

  // Features of F in this space: rows [N, D] or maps [B, D, h, w].
  at::Tensor of(const at::Tensor& features) const;
};

class Projections {
 public:
  // Random weights that depend on the seed only. tensors: device and type of the weights.
  void make(int64_t dim, const ProjectionOptions& options, uint64_t seed,
            const at::TensorOptions& tensors);
  bool made() const { return made_; }

  FeatureSpace space(size_t index) const { return {*this, index}; }
  // Rows [N, D]; kernel 1 only.
  at::Tensor of_rows(const at::Tensor& rows, size_t space) const;
  // Maps [B, D, h, w], padded with zeros for kernel 3.
  at::Tensor of_map(const at::Tensor& map, size_t space) const;

  std::vector<NamedTensor> parameters() const;
  // A state may be loaded before make(), which then takes it over.
  StateDict state() const;
  void load(const StateDict& state);

 private:
  bool made_ = false;
  int64_t kernel_ = 1;
  StateDict loaded_;                 // before make(): the number of channels is not known
  std::vector<at::Tensor> weights_;  // [out, in], or [out, in, 3, 3]
};

}  // namespace lethe
