#include "lethe/model/init.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lethe/core/error.h"

namespace lethe {
namespace {

float nth(const at::Tensor& tensor, int64_t i) { return tensor.flatten()[i].item<float>(); }

// Values from init_golden.py, with a tolerance of a few ulp: libm may differ in the last bit.
TEST(InitTest, ValuesMatchAnIndependentImplementation) {
  const auto conv = at::zeros({64, 3, 3, 3});
  fill_xavier_normal(conv, 0, "conv1.weight");
  EXPECT_FLOAT_EQ(nth(conv, 0), -0.0812366083f);
  EXPECT_FLOAT_EQ(nth(conv, 1), -0.0477475524f);
  EXPECT_FLOAT_EQ(nth(conv, 5), -0.0862897485f);

  const auto head = at::zeros({5, 512});
  fill_xavier_normal(head, 7, "heads.0.weight");
  EXPECT_FLOAT_EQ(nth(head, 0), 0.0118722171f);
  EXPECT_FLOAT_EQ(nth(head, 1), 0.0230395198f);
  EXPECT_FLOAT_EQ(nth(head, 5), -0.0140965981f);

  fill_kaiming_normal(conv, 0, "conv1.weight");
  EXPECT_FLOAT_EQ(nth(conv, 0), -0.0831187889f);
  EXPECT_FLOAT_EQ(nth(conv, 5), -0.0882890001f);
}

TEST(InitTest, StandardDeviationDependsOnTheFans) {
  const auto weight = at::zeros({128, 64, 3, 3});

  // With 73728 draws the sample standard deviation is within 1 % (4 sigma).
  fill_xavier_normal(weight, 1, "w");
  const double xavier = std::sqrt(2.0 / ((128 + 64) * 9));
  EXPECT_NEAR(weight.std().item<double>(), xavier, 0.01 * xavier);
  EXPECT_NEAR(weight.mean().item<double>(), 0.0, 4 * xavier / std::sqrt(73728.0));

  fill_kaiming_normal(weight, 1, "w");
  const double kaiming = std::sqrt(2.0 / (128 * 9));
  EXPECT_NEAR(weight.std().item<double>(), kaiming, 0.01 * kaiming);
}

TEST(InitTest, ValuesDependOnSeedAndNameButNotOnStrides) {
  const auto a = at::zeros({4, 3, 3, 3});
  const auto b = at::zeros({4, 3, 3, 3}).clone(at::MemoryFormat::ChannelsLast);
  const auto other_seed = at::zeros({4, 3, 3, 3});
  const auto other_name = at::zeros({4, 3, 3, 3});

  fill_xavier_normal(a, 3, "x");
  fill_xavier_normal(b, 3, "x");
  fill_xavier_normal(other_seed, 4, "x");
  fill_xavier_normal(other_name, 3, "y");

  EXPECT_TRUE(at::equal(a, b));
  EXPECT_FALSE(at::equal(a, other_seed));
  EXPECT_FALSE(at::equal(a, other_name));
}

TEST(InitTest, SeedsThatDifferAbove32BitsDiffer) {
  const auto a = at::zeros({2, 2});
  const auto b = at::zeros({2, 2});

  fill_xavier_normal(a, 1, "x");
  fill_xavier_normal(b, 1 + (uint64_t{1} << 32), "x");

  EXPECT_FALSE(at::equal(a, b));
}

TEST(InitTest, AVectorIsAnError) {
  EXPECT_THROW(fill_xavier_normal(at::zeros({3}), 0, "x"), Error);
}

}  // namespace
}  // namespace lethe
