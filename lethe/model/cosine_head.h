// The multi-head cosine classifier (specification 3.1): one head per task, and the score of class j
// is the cosine between the feature vector and the class's weight row, <v/|v|, w_j/|w_j|>. Both are
// normalised here, so that lengths of v and w do not matter. No bias.
//
// Parameters: <k>.weight [n_k, dim] for head k. Gradients flow into features and weights.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lethe {

// Every row [N, D] at length 1; a zero row stays zero.
at::Tensor unit_rows(const at::Tensor& rows);

class CosineHeads : public torch::nn::Module {
 public:
  // dim: length of a feature, > 0.
  explicit CosineHeads(int64_t dim);

  // Adds a head of count classes, on the given device and of the given type; its weights are zero.
  // Returns the weight and its name within this module, "0.weight".
  struct Added {
    std::string name;
    at::Tensor weight;
  };
  Added add(int64_t count, const at::TensorOptions& options);

  // features [B, dim] -> [B, sum of n_k], heads one after the other. A zero vector has cosine 0
  // with everything. Throws Error if there is no head.
  at::Tensor forward(const at::Tensor& features) const;

 private:
  int64_t dim_;
  std::vector<at::Tensor> weights_;
};

}  // namespace lethe
