#include "lethe/losses/sparsity.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/support/tv10.h"

namespace lethe {
namespace {

TEST(SparsityTest, TV10) {
  const test::TV10 tv;
  EXPECT_NEAR(sparsity_loss(group_by_class(tv.features, tv.labels)).item<double>(), 3.730576, 1e-6);
}

TEST(SparsityTest, IsTheRatioPerRowAndZeroWithoutRows) {
  const auto labels = at::zeros({1}, at::kLong);
  const auto loss = [&](const at::Tensor& row) {
    return sparsity_loss(group_by_class(row.unsqueeze(0), labels)).item<double>();
  };
  EXPECT_NEAR(loss(at::ones({4}, at::kDouble)), std::exp(1.0), 1e-9);
  EXPECT_GT(loss(at::tensor({1.0, 0.0, 0.0, 0.0}, at::kDouble)), std::exp(1.0));
  EXPECT_EQ(
      sparsity_loss(group_by_class(at::zeros({0, 4}), at::zeros({0}, at::kLong))).item<double>(),
      0);
}

}  // namespace
}  // namespace lethe
