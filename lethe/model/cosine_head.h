// The multi-head cosine classifier (specification 3.1) with one head per task. The score of class j
// is the cosine between the feature vector and the weight row of the class, <v/|v|, w_j/|w_j|>.
// Both are normalised here, so the lengths of v and w do not matter. There is no bias.
//
// Parameters: <k>.weight [n_k, dim] for head k. Features and weights get gradients.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lethe {

// Scales every row of [N, D] to length 1; a zero row remains zero.
at::Tensor unit_rows(const at::Tensor& rows);

class CosineHeads : public torch::nn::Module {
 public:
  // dim: length of a feature vector, > 0.
  explicit CosineHeads(int64_t dim);

  // Adds a head for count classes with the given device and type; its weights are zero. Returns the
  // weight and its name within this module, e.g. "0.weight".
  struct Added {
    std::string name;
    at::Tensor weight;
  };
  Added add(int64_t count, const at::TensorOptions& options);

  // features [B, dim] -> logits [B, sum of n_k], in the order of the heads. A zero vector has
  // cosine 0 with every class. Throws Error if there is no head.
  at::Tensor forward(const at::Tensor& features) const;

 private:
  int64_t dim_;
  std::vector<at::Tensor> weights_;
};

}  // namespace lethe
