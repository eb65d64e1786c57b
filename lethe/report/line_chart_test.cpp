#include "lethe/report/line_chart.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lethe {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(LineChartTest, EveryPointHasAMarkAndNamesAreEscaped) {
  const auto svg = to_svg({.title = "A & B",
                           .x_name = "x",
                           .y_name = "y",
                           .places = {"<1", "2", "3"},
                           .lines = {{"one", {0, 50, std::nan("")}, {0, 5, 0}}}});

  EXPECT_EQ(count(svg, "<circle"), 3u);               // two points and the legend
  EXPECT_EQ(count(svg, "stroke=\"#0072b2\"/>"), 1u);  // one error bar
  EXPECT_NE(svg.find("A &amp; B"), std::string::npos);
  EXPECT_NE(svg.find("&lt;1"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(LineChartTest, HigherValuesAreDrawnHigher) {
  const auto svg = to_svg({.title = "",
                           .x_name = "",
                           .y_name = "",
                           .places = {"a", "b"},
                           .lines = {{"one", {0, 100}, {}}}});

  // From the bottom of the frame to its top.
  EXPECT_NE(svg.find("M175.0 344.0L405.0 44.0"), std::string::npos) << svg;
}

TEST(LineChartTest, AnErrorBarEndsAtTheFrame) {
  const auto svg = to_svg(
      {.title = "", .x_name = "", .y_name = "", .places = {"a"}, .lines = {{"one", {2}, {30}}}});

  EXPECT_NE(svg.find("y1=\"344.0\" y2=\"248.0\""), std::string::npos) << svg;  // 0 to 32
}

}  // namespace
}  // namespace lethe
