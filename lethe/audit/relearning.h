// Relearning: how many steps it takes until a model answers forgotten classes again. A model that
// forgot only at its outputs needs fewer than an oracle.
//
// Every model gets the same new cosine head, the same rows in the same order and the same rate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lethe/audit/rows.h"
#include "lethe/core/class_set.h"

namespace lethe {

struct RelearnOptions {
  int64_t most_steps = 200;
  int64_t batch = 64;  // half of it rows of the classes to relearn
  double lr = 0.1;
  uint64_t seed = 0;
};

// The classes to relearn, and the classes that compete: those of their tasks.
struct RelearnTask {
  ClassSet classes, rivals;
};

// The mean accuracy on the test rows of the classes after every step: [steps + 1], the first before
// any step.
std::vector<double> relearn_head(const at::Tensor& fit, const at::Tensor& fit_labels,
                                 const at::Tensor& test, const at::Tensor& test_labels,
                                 const RelearnTask& task, const RelearnOptions& options);

// The same for the whole network, measured every `every` steps: [steps / every + 1]. Trains a copy,
// with batch norm in evaluation mode. Images only.
std::vector<double> relearn_network(Network& network, const Rows& fit, const Rows& test,
                                    const RelearnTask& task, int64_t every,
                                    const RelearnOptions& options, const RowOptions& rows);

// The first step with at least this accuracy; the number of steps + 1 if there is none.
int64_t steps_until(const std::vector<double>& accuracy, double target);

}  // namespace lethe
