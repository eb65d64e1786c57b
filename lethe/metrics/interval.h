// Exact confidence intervals for a single accuracy (Clopper-Pearson).
#pragma once

#include <cstdint>

namespace lethe {

struct Interval {
  double low = 0, high = 0;
};

// The two-sided interval for the probability behind `hits` of `count` trials. count = 0: [0, 1].
Interval clopper_pearson(int64_t hits, int64_t count, double confidence = 0.95);

}  // namespace lethe
