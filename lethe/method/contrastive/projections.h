// The linear maps F -> F* -> F** (D -> D/2 -> D/4) of the contrastive method, seen by L_in^d only
// (specification 5.14.1). Linear, so that the prototype of a projection is the projection of the
// prototype.
#pragma once

#include <cstddef>
#include <vector>

#include "lethe/method/method.h"

namespace lethe {

struct ProjectionOptions {
  size_t depth = 2;    // how many maps there are, 0 to 2
  int64_t kernel = 1;  // 1: rows are mapped one by one; 3: over the neighbours in a map
  bool trainable = true;
};

class Projections {
 public:
  // Drawn from the seed, on the device.
  void make(int64_t dim, const ProjectionOptions& options, uint64_t seed,
            const at::TensorOptions& tensors);
  bool made() const { return made_; }

  // space 0 is F itself. Rows [N, D], kernel 1 only.
  at::Tensor of_rows(const at::Tensor& rows, size_t space) const;
  // Maps [B, D, h, w], padded with zeros for kernel 3.
  at::Tensor of_map(const at::Tensor& map, size_t space) const;

  std::vector<NamedTensor> parameters() const;
  StateDict state() const;
  void load(const StateDict& state);

 private:
  bool made_ = false;
  int64_t kernel_ = 1;
  std::vector<at::Tensor> weights_;  // [out, in], or [out, in, 3, 3]
};

}  // namespace lethe
