// A network that only answers, for the life of this object: running statistics, no dropout. Then as
// it was, whatever ended the block.
#pragma once

#include <torch/nn/module.h>

namespace lethe {

class EvaluationMode {
 public:
  explicit EvaluationMode(torch::nn::Module& network)
      : network_(network), was_training_(network.is_training()) {
    network_.eval();
  }
  ~EvaluationMode() { network_.train(was_training_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  torch::nn::Module& network_;
  bool was_training_;
};

}  // namespace lethe
