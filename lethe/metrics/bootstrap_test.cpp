#include "lethe/metrics/bootstrap.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace lethe {
namespace {

constexpr int64_t kDraws = 2000;

Figure accuracy(const at::Tensor& hits) {
  return {.groups = {{.rows = at::arange(hits.size(0)), .hits = hits, .factor = 1}}};
}

// The first `count` of n rows are hits.
at::Tensor first_hits(int64_t count, int64_t n) { return (at::arange(n) < count).to(at::kDouble); }

Resampling one_class(int64_t n) { return {at::arange(n), at::zeros({n}, at::kLong), kDraws, 1}; }

TEST(ResamplingTest, TheSpreadOfAnAccuracyIsBinomial) {
  const auto values = one_class(100).values(accuracy(first_hits(30, 100)));

  EXPECT_NEAR(values.mean().item<double>(), 0.3, 0.005);
  EXPECT_NEAR(values.std().item<double>(), std::sqrt(0.3 * 0.7 / 100), 0.002);
}

TEST(ResamplingTest, ImagesAreDrawnWithinTheirClass) {
  // All of class 0 are hits, none of class 1: within classes the accuracy cannot change.
  const auto strata = (at::arange(50) >= 20).to(at::kLong);
  const Resampling resampling(at::arange(50), strata, 50, 1);

  const auto values = resampling.values(accuracy(first_hits(20, 50)));

  EXPECT_NEAR((values - 0.4).abs().max().item<double>(), 0, 1e-12);
}

TEST(ResamplingTest, RowsOfOneImageStayTogether) {
  // Ten images of 40 pixels, all alike within an image: the spread is that of ten, not of 400.
  const auto unit_of_row = at::arange(400).div(40, "floor");
  const Resampling resampling(unit_of_row, at::zeros({10}, at::kLong), kDraws, 1);

  const auto values = resampling.values(accuracy(first_hits(200, 400)));

  EXPECT_NEAR(values.std().item<double>(), std::sqrt(0.25 / 10), 0.01);
}

TEST(ResamplingTest, TheSeedDeterminesTheDraws) {
  const auto figure = accuracy(first_hits(30, 100));
  const auto of = [&](uint64_t seed) {
    return Resampling(at::arange(100), at::zeros({100}, at::kLong), 20, seed).values(figure);
  };

  EXPECT_TRUE(at::equal(of(4), of(4)));
  EXPECT_FALSE(at::equal(of(4), of(5)));
}

TEST(ExcessTest, TheSameHitsHaveNoExcessAndNoSpread) {
  const auto figure = accuracy(first_hits(30, 100));

  const auto excess = excess_over(figure, {figure}, one_class(100), 0);

  EXPECT_EQ(excess.value, 0);
  EXPECT_EQ(excess.low, 0);
  EXPECT_EQ(excess.high, 0);
  EXPECT_EQ(excess.image_error, 0);
  EXPECT_FALSE(excess.oracle_error.has_value());
  EXPECT_EQ(excess.images, 100);
}

TEST(ExcessTest, PairedImagesHaveTheSpreadOfTheirDifferences) {
  // The model hits 40, the oracle 30 of them and no other: the difference is 1 for 10 of 100.
  const auto excess = excess_over(accuracy(first_hits(40, 100)), {accuracy(first_hits(30, 100))},
                                  one_class(100), 0);

  EXPECT_NEAR(excess.value, 0.1, 1e-12);
  EXPECT_NEAR(excess.image_error, std::sqrt(0.1 * 0.9 / 100), 0.002);
  EXPECT_NEAR(excess.low, 0.1 - 1.645 * 0.03, 0.012);
  EXPECT_NEAR(excess.high, 0.1 + 1.645 * 0.03, 0.012);
}

TEST(ExcessTest, TheSpreadOfTheOraclesCounts) {
  const auto model = accuracy(first_hits(50, 100));
  const std::vector<Figure> oracles = {accuracy(first_hits(30, 100)), accuracy(first_hits(50, 100)),
                                       accuracy(first_hits(70, 100))};

  const auto excess = excess_over(model, oracles, one_class(100), 0);

  EXPECT_NEAR(excess.value, 0, 1e-12);
  ASSERT_TRUE(excess.oracle_error.has_value());
  EXPECT_NEAR(*excess.oracle_error, 0.2 / std::sqrt(3.0), 1e-9);
  EXPECT_GT(excess.high - excess.low, 0.2);
}

TEST(ExcessTest, AFigureThatMustNotFallHasTheOppositeSign) {
  const auto fallen = excess_over(accuracy(first_hits(20, 100)), {accuracy(first_hits(30, 100))},
                                  one_class(100), 0, -1);

  EXPECT_NEAR(fallen.value, 0.1, 1e-12);
  EXPECT_GT(fallen.low, 0.04);
}

TEST(ExcessTest, IntervalsContainTheTruthAsOftenAsTheySay) {
  // Two models with a true excess of 0.05 on 200 images: 95 of 100 one-sided upper ends are above.
  int64_t above = 0;
  const int64_t runs = 200;
  for (int64_t run = 0; run < runs; ++run) {
    at::manual_seed(run);
    const auto model = (at::rand({200}) < 0.45).to(at::kDouble);
    const auto oracle = (at::rand({200}) < 0.40).to(at::kDouble);
    const Resampling resampling(at::arange(200), at::zeros({200}, at::kLong), 200,
                                static_cast<uint64_t>(run));
    above += excess_over(accuracy(model), {accuracy(oracle)}, resampling, 0).high >= 0.05;
  }

  EXPECT_GE(above, 180);  // 95 % of 200 is 190, four standard errors are 12
  EXPECT_LE(above, 199);
}

TEST(FigureTest, GroupsAddUpWithTheirFactors) {
  const Figure balanced{
      .groups = {{at::arange(4), first_hits(3, 4), 0.5}, {at::arange(10), first_hits(2, 10), 0.5}}};

  EXPECT_NEAR(balanced.value(), 0.475, 1e-12);
  EXPECT_NEAR(mean_of({balanced, accuracy(first_hits(1, 2))}).value(), 0.4875, 1e-12);
  EXPECT_TRUE(std::isnan(accuracy(at::empty({0}, at::kDouble)).value()));
}

}  // namespace
}  // namespace lethe
