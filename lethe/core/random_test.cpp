#include "lethe/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lethe/core/error.h"

namespace lethe {
namespace {

// Known values of Philox4x32-10 with counter (block, purpose, a, b) and key = seed. The published
// value for counter 0 and key 0 cannot be tested here, because no purpose is 0. These values come
// from an independent implementation, philox_golden.py.
TEST(RandomTest, EqualsAnIndependentImplementationOfPhilox) {
  Random random(0x0123456789abcdefULL, Purpose::kTest, 5, 9);

  for (const uint32_t expected : {
#include "lethe/core/philox_golden.inc"
       }) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(RandomTest, TheSameAddressGivesTheSameNumbersAndAnyOtherDiffers) {
  const auto first = [](uint64_t seed, Purpose purpose, uint32_t a, uint32_t b) {
    return Random(seed, purpose, a, b).next64();
  };
  const auto base = first(1, Purpose::kAugment, 2, 3);

  EXPECT_EQ(first(1, Purpose::kAugment, 2, 3), base);
  EXPECT_NE(first(2, Purpose::kAugment, 2, 3), base);
  EXPECT_NE(first(1ULL << 32 | 1, Purpose::kAugment, 2, 3), base);
  EXPECT_NE(first(1, Purpose::kShuffle, 2, 3), base);
  EXPECT_NE(first(1, Purpose::kAugment, 3, 3), base);
  EXPECT_NE(first(1, Purpose::kAugment, 2, 4), base);
}

TEST(RandomTest, UniformNumbersHaveTheRightRangeMeanAndVariance) {
  Random random(7, Purpose::kTest);
  const int n = 100000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  // Five standard errors.
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
}

TEST(RandomTest, NormalNumbersHaveTheRightMoments) {
  Random random(8, Purpose::kTest);
  const int n = 100000;
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  for (int i = 0; i < n; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0 / n));
}

TEST(RandomTest, BelowIsWithinRangeAndHitsEveryValueEquallyOften) {
  Random random(9, Purpose::kTest);
  std::vector<int> hits(7);
  const int n = 70000;
  for (int i = 0; i < n; ++i) ++hits.at(static_cast<size_t>(random.below(7)));

  for (const int count : hits) EXPECT_NEAR(count, n / 7.0, 5 * std::sqrt(n / 7.0));
  EXPECT_THROW(random.below(0), Error);
}

TEST(RandomTest, APermutationHoldsEveryNumberOnceAndIsNotTheIdentity) {
  const auto order = Random(1, Purpose::kShuffle, 0).permutation(100);

  EXPECT_EQ(std::set<int64_t>(order.begin(), order.end()).size(), 100u);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  EXPECT_TRUE(Random(1, Purpose::kShuffle, 0).permutation(0).empty());
}

TEST(RandomTest, NamesHashAsFnvDoes) {
  EXPECT_EQ(hash32(""), 0x811c9dc5u);
  EXPECT_EQ(hash32("a"), 0xe40c292cu);
  EXPECT_EQ(hash32("foobar"), 0xbf9cf968u);
}

}  // namespace
}  // namespace lethe
