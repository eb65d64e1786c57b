// Loss scaling for mixed precision: small gradients vanish in half precision, so the loss is
// multiplied by a large factor before the backward pass and the gradients divided by it afterwards.
// The factor halves when a gradient overflows and doubles after 2000 steps without that.
#pragma once

#include <cstdint>
#include <vector>

#include "lethe/core/state_dict.h"
#include "lethe/trainer/sgd.h"

namespace lethe {

class LossScaler {
 public:
  double scale() const { return scale_; }

  // Divides all gradients by the factor and adapts it. False: one was not finite, the step must be
  // left out.
  bool unscale(const std::vector<SgdParameter>& parameters);

  // Its state as one entry among the optimiser's, and out of it again.
  void put(StateDict& state) const;
  void take(StateDict& state);

 private:
  double scale_ = 65536;
  int64_t good_steps_ = 0;  // since the factor changed
};

}  // namespace lethe
