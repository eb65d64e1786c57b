#include "tools/suite/advice.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

TableRow row(const std::string& label, const std::vector<double>& s) {
  TableRow made;
  made.label = label;
  for (size_t i = 0; i < s.size(); ++i) made.seeds.push_back(static_cast<int64_t>(i));
  made.s = statistic(s);
  return made;
}

const std::vector<Aim> kForget = {{"forget and keep", &TableRow::s}};

TEST(AdviceTest, TheLargestMeanIsNamedWithTheRowsThatAreNotShownToBeWorse) {
  EXPECT_EQ(
      advice({row("a", {0.5}), row("b", {0.605}), row("c", {0.6}), row("d", {0.59})}, kForget),
      "Which method for which purpose:\n\n"
      "- forget and keep: **b (60.5)**; not shown to be worse: c (60.0)\n\n");
}

TEST(AdviceTest, ADifferenceWithinTheSpreadOfTheSeedsIsNotShown) {
  // The differences are 30 and -10 points: their mean is 10, their spread 28.
  const auto text = advice({row("a", {0.8, 0.6}), row("b", {0.5, 0.7})}, kForget);

  EXPECT_NE(text.find("not shown to be worse: b"), std::string::npos) << text;
}

TEST(AdviceTest, OneRowOrNoValueGivesNoAdvice) {
  EXPECT_EQ(advice({row("a", {0.5})}, kForget), "");
  EXPECT_EQ(advice({row("a", {0.5}), row("b", {0.4})}, {{"keep", &TableRow::a}}), "");
}

}  // namespace
}  // namespace lethe
