// SGD with momentum, Nesterov and weight decay, equal to torch::optim::SGD (a test compares them).
// LibTorch keys the state of its optimiser by address, and its format changed between versions.
// Here the state is keyed by parameter name, so checkpoints are independent of the process and of
// the LibTorch version.
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

// The largest second derivative of a parabola on which SGD with this learning rate converges.
double stable_curvature(const SgdOptions& options, double lr);

struct SgdParameter {
  std::string name;
  at::Tensor tensor;
  double lr_factor = 1.0;  // its learning rate = this x the common one, > 0
};

class Sgd {
 public:
  Sgd(std::vector<SgdParameter> parameters, const SgdOptions& options);

  void zero_grad();
  // Scales all gradients if their total norm exceeds limit; returns the norm before scaling.
  double clip_grad_norm(double limit);
  const std::vector<SgdParameter>& parameters() const { return parameters_; }
  // Parameters without a gradient do not change.
  void step(double lr);

  StateDict state() const;            // momentum by parameter name
  void load(const StateDict& state);  // throws DataError if a name is unknown or a shape differs

 private:
  SgdOptions options_;
  std::vector<SgdParameter> parameters_;
  std::vector<at::Tensor> momentum_;  // undefined before the first step
};

}  // namespace lethe
