#include "tools/suite/trends.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

TableRow row(const std::string& label, std::vector<int64_t> seeds, const std::vector<double>& f) {
  TableRow made{.label = label, .seeds = std::move(seeds)};
  made.f = statistic(f);
  return made;
}

Comparison more(const TableRows& rows, double margin = 0) {
  return compare(rows, "F", &TableRow::f, "x", "y", margin);
}

TEST(TrendsTest, RunsOfTheSameSeedsAreComparedPairByPair) {
  // Seeds differ by 30 points, the sides by 2 in each of them.
  const TableRows rows = {row("x", {0, 1}, {0.52, 0.82}), row("y", {0, 1}, {0.50, 0.80})};

  const auto both = more(rows);

  EXPECT_NEAR(both.beyond, 0.02, 1e-12);
  EXPECT_NEAR(both.spread, 0, 1e-12);
  EXPECT_EQ(verdict({both}), "holds");
}

TEST(TrendsTest, OtherSeedsCountWithTheSpreadOfBothSides) {
  const TableRows rows = {row("x", {0, 1}, {0.52, 0.82}), row("y", {0, 2}, {0.50, 0.80})};

  EXPECT_NEAR(more(rows).spread, 0.3, 1e-12);  // hypot of two deviations of 0.3 / sqrt(2)
  EXPECT_TRUE(verdict({more(rows)}).starts_with("undecided"));
}

TEST(TrendsTest, ADifferenceBelowTheMarginIsNone) {
  const TableRows rows = {row("x", {0}, {0.54}), row("y", {0}, {0.50})};

  EXPECT_EQ(verdict({more(rows)}), "holds");
  EXPECT_EQ(verdict({more(rows, 0.05)}), "does not hold");
  EXPECT_EQ(more(rows, 0.05).text, "F(x) - F(y) = +4.0");
}

TEST(TrendsTest, ADifferenceBelowOnePointDecidesNothing) {
  const auto of = [](double x) {
    return verdict({more({row("x", {0}, {x}), row("y", {0}, {0.5})})});
  };

  EXPECT_EQ(of(0.51), "holds");
  EXPECT_EQ(of(0.509), "undecided");
  EXPECT_EQ(of(0.491), "undecided");
  EXPECT_EQ(of(0.49), "does not hold");
}

TEST(TrendsTest, AVerdictFromOneSeedSaysSo) {
  const TableRows one = {row("x", {0}, {0.54}), row("y", {0}, {0.50})};
  const TableRows two = {row("x", {0, 1}, {0.54, 0.55}), row("y", {0, 1}, {0.50, 0.51})};

  EXPECT_EQ(trend("x is more", {more(one)}).verdict, "holds (one seed)");
  EXPECT_EQ(trend("x is more", {more(two)}).verdict, "holds");
}

TEST(TrendsTest, WhatTheSuiteDoesNotRunIsNoComparison) {
  const TableRows no_record = {row("x", {0}, {0.54}), row("y", {}, {})};
  const TableRows no_row = {row("x", {0}, {0.54})};

  EXPECT_EQ(trend("x is more", {more(no_record)}).verdict, "open");
  EXPECT_EQ(trend("x is more", {more(no_row)}).verdict, "");
  EXPECT_EQ(trends_text({trend("x is more", {more(no_row)})}), "");
}

TEST(TrendsTest, ARowThatIsMissingLeavesItOpen) {
  EXPECT_EQ(verdict({more({row("x", {0}, {0.5})})}), "open");
}

}  // namespace
}  // namespace lethe
