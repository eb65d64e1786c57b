#include "lethe/metrics/interval.h"

#include <boost/math/distributions/beta.hpp>

namespace lethe {

Interval clopper_pearson(int64_t hits, int64_t count, double confidence) {
  if (count == 0) return {.low = 0, .high = 1};
  const auto x = static_cast<double>(hits);
  const auto n = static_cast<double>(count);
  const double tail = (1 - confidence) / 2;
  using Beta = boost::math::beta_distribution<double>;
  return {.low = hits == 0 ? 0 : quantile(Beta(x, n - x + 1), tail),
          .high = hits == count ? 1 : quantile(Beta(x + 1, n - x), 1 - tail)};
}

}  // namespace lethe
