#include "lethe/trainer/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lethe/core/error.h"

namespace lethe {

double learning_rate(const TrainOptions& options, double base, int64_t iteration,
                     const ScheduleLength& length) {
  const auto i = static_cast<double>(iteration);
  const double warmup =
      std::round(options.warmup_epochs.value_or(0) * static_cast<double>(length.per_epoch));
  const double rise = i < warmup ? (i + 1) / warmup : 1.0;
  const double done = std::min(1.0, i / static_cast<double>(length.iterations));
  if (options.schedule == "constant") return base * rise;
  if (options.schedule == "poly") return base * rise * std::pow(1.0 - done, options.poly_power);
  if (options.schedule == "cosine")
    return base * rise * 0.5 * (1.0 + std::cos(std::numbers::pi * done));
  if (options.schedule == "step") {
    const int64_t epoch = iteration / std::max<int64_t>(1, length.per_epoch);
    const auto passed = std::count_if(options.milestones.begin(), options.milestones.end(),
                                      [&](int64_t milestone) { return epoch >= milestone; });
    return base * rise * std::pow(options.gamma, static_cast<double>(passed));
  }
  throw_error<Error>("schedule '{}' is not resolved", options.schedule);
}

}  // namespace lethe
