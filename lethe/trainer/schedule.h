// Learning rate schedules (specification 4). The learning rate is a pure function of the iteration,
// so checkpoints need not store it.
#pragma once

#include <cstdint>

#include "lethe/trainer/options.h"

namespace lethe {

struct ScheduleLength {
  int64_t iterations = 0;  // iterations of the task
  int64_t per_epoch = 0;
};

// Learning rate of an iteration (from 0) of a task with base learning rate base. options.schedule
// and warmup_epochs must be resolved.
double learning_rate(const TrainOptions& options, double base, int64_t iteration,
                     const ScheduleLength& length);

}  // namespace lethe
