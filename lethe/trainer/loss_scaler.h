// Loss scaling for mixed precision. Small gradients underflow in half precision, so the loss is
// multiplied by a large factor before the backward pass and the gradients are divided by it
// afterwards. The factor is halved when a gradient overflows and doubled after 2000 steps without
// overflow.
#pragma once

#include <cstdint>
#include <vector>

#include "lethe/core/state_dict.h"
#include "lethe/trainer/sgd.h"

namespace lethe {

class LossScaler {
 public:
  double scale() const { return scale_; }

  // Divides all gradients by the factor and adapts it. Returns false if a gradient is not finite;
  // the step must then be skipped.
  bool unscale(const std::vector<SgdParameter>& parameters);

  // Adds the state to the optimiser's state as one entry, or removes it from there and restores it.
  void put(StateDict& state) const;
  void take(StateDict& state);

 private:
  double scale_ = 65536;
  int64_t good_steps_ = 0;  // steps since the factor last changed
};

}  // namespace lethe
