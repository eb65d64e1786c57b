#include "tools/suite/advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace lethe {

namespace {

std::string named(const TableRow& row, TableValue value) {
  return fmt::format("{} ({})", row.label, percent(row.*value));
}

std::string line(const TableRows& rows, const Aim& aim) {
  const auto value = aim.value;
  const auto less = [&](const TableRow& x, const TableRow& y) {
    return (x.*value).mean < (y.*value).mean;
  };
  TableRows own;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(own),
               [&](const TableRow& row) { return (row.*value).count > 0; });
  if (own.size() < 2) return "";
  const auto best = std::max_element(own.begin(), own.end(), less);
  std::vector<std::string> equals;
  for (auto row = own.begin(); row != own.end(); ++row) {
    if (row != best && verdict({compare(own, "", value, best->label, row->label)}) == "undecided")
      equals.push_back(named(*row, value));
  }
  return fmt::format("- {}: **{}**{}{}\n", aim.what, named(*best, value),
                     equals.empty() ? "" : "; not shown to be worse: ", fmt::join(equals, ", "));
}

}  // namespace

std::string advice(const TableRows& rows, const std::vector<Aim>& aims) {
  std::string text;
  for (const auto& aim : aims) text += line(rows, aim);
  return text.empty() ? text : "Which method for which purpose:\n\n" + text + '\n';
}

}  // namespace lethe
