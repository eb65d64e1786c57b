// Puts a network into evaluation mode (running statistics, no dropout) for the lifetime of this
// object. The destructor restores the previous mode, also after an exception.
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
