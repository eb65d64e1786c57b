// SGD with momentum, Nesterov and weight decay, in the form of torch::optim::SGD (a test compares
// them). Written by hand because LibTorch keys the optimiser's state by address, in a way that
// changed between versions: here it has the parameters' names, so that checkpoints outlive the
// process and the LibTorch.
#pragma once

#include <string>
#include <vector>

#include "lethe/core/state_dict.h"

namespace lethe {

struct SgdOptions {
  double momentum = 0.9;      // [0, 1)
  double weight_decay = 0.0;  // >= 0
  bool nesterov = false;
};

// On a parabola that is steeper than this (second derivative), steps of this learning rate grow
// instead of shrinking.
double stable_curvature(const SgdOptions& options, double lr);

struct SgdParameter {
  std::string name;
  at::Tensor tensor;
  double lr_factor = 1.0;  // its rate is this times the common one, > 0
};

class Sgd {
 public:
  Sgd(std::vector<SgdParameter> parameters, const SgdOptions& options);

  void zero_grad();
  // Scales all gradients if their common norm exceeds limit; returns the norm before.
  double clip_grad_norm(double limit);
  const std::vector<SgdParameter>& parameters() const { return parameters_; }
  // Parameters without a gradient stay as they are.
  void step(double lr);

  StateDict state() const;            // momentum by parameter name
  void load(const StateDict& state);  // throws DataError if a name is unknown or a shape differs

 private:
  SgdOptions options_;
  std::vector<SgdParameter> parameters_;
  std::vector<at::Tensor> momentum_;  // undefined before the first step
};

}  // namespace lethe
