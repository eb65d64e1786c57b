// SDR's sparsification (specification 5.11 e): few channels of a feature vector should be active.
#pragma once

#include "lethe/features/class_groups.h"

namespace lethe {

// Rows are divided by the largest activation of their class in the batch, which is treated as a
// constant. Returns the mean over rows of sum_k exp(f_k) / sum_k f_k, or 0 without rows. Features
// must not be negative.
at::Tensor sparsity_loss(const ClassGroups& groups);

}  // namespace lethe
