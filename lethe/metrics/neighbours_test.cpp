#include "lethe/metrics/neighbours.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace lethe {
namespace {

at::Tensor points(std::vector<double> values) { return at::tensor(values).reshape({-1, 2}); }

TEST(NeighboursTest, ARowIsFoundByTheClassOfItsNearestRows) {
  const auto fit = points({1, 0, 1, 0.1, 0, 1, 0.1, 1});
  const auto is_first = at::tensor({1, 1, 0, 0}, at::kLong) == 1;
  const auto rows = points({5, 0.2, 0.1, 7});

  const auto found = Neighbours(fit, rows, 2).found(is_first);

  EXPECT_TRUE(at::equal(found, at::tensor({1, 0}, at::kLong) == 1));
}

TEST(NeighboursTest, ARareClassNeedsMoreThanItsShareOfNeighbours) {
  // One row in five is of the class. With all rows as neighbours its share is one fifth: not more.
  const auto fit = points({1, 0, 0, 1, 0, 1, 0, 1, 0, 1});
  const auto is_rare = at::arange(5) == 0;

  EXPECT_FALSE(Neighbours(fit, points({1, 0}), 5).found(is_rare).item<bool>());
  EXPECT_TRUE(Neighbours(fit, points({1, 0}), 4).found(is_rare).item<bool>());
}

TEST(NeighboursTest, ManyRowsAreTheSameAsOneByOne) {
  at::manual_seed(3);
  const auto fit = at::randn({300, 8});
  const auto rows = at::randn({1100, 8});
  const auto positive = at::arange(300) < 100;

  const auto all = Neighbours(fit, rows).found(positive);

  for (const int64_t i : {0, 511, 512, 1099})
    EXPECT_EQ(all[i].item<bool>(),
              Neighbours(fit, rows.slice(0, i, i + 1)).found(positive).item<bool>());
}

}  // namespace
}  // namespace lethe
