// The learning rate as a pure function of the iteration (specification 4): nothing to save, nothing
// to replay.
#pragma once

#include <cstdint>

#include "lethe/trainer/options.h"

namespace lethe {

struct ScheduleLength {
  int64_t iterations = 0;  // of the task
  int64_t per_epoch = 0;
};

// Rate of iteration i (from 0) of a task whose base rate is base. options.schedule and
// warmup_epochs are resolved.
double learning_rate(const TrainOptions& options, double base, int64_t iteration,
                     const ScheduleLength& length);

}  // namespace lethe
