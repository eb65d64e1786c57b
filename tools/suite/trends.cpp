#include "tools/suite/trends.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "lethe/report/table.h"

namespace lethe {

namespace {

const TableRow* find(const TableRows& rows, const std::string& label) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const TableRow& row) { return row.label == label; });
  return found == rows.end() ? nullptr : &*found;
}

constexpr double kLeast = 0.01;  // a smaller difference decides nothing

// Of the difference: runs of one seed share data, first weights and often the first task, so that
// they are compared pair by pair where both sides have the same seeds.
double spread_of(const TableRow& x, const TableRow& y, TableValue value) {
  const auto& a = (x.*value).values;
  const auto& b = (y.*value).values;
  if (x.seeds != y.seeds || a.size() != b.size())
    return std::hypot((x.*value).deviation, (y.*value).deviation);
  std::vector<double> differences;
  for (size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
  return statistic(differences).deviation;
}

}  // namespace

Comparison compare(const TableRows& rows, const char* name, TableValue value,
                   const std::string& larger, const std::string& smaller, double margin) {
  const auto* x = find(rows, larger);
  const auto* y = find(rows, smaller);
  if (x == nullptr || y == nullptr) return {.text = "", .in_suite = false};
  if ((x->*value).count == 0 || (y->*value).count == 0)
    return {fmt::format("{}({}) > {}({}): not run", name, larger, name, smaller)};
  const auto& [a, b] = std::tie(x->*value, y->*value);
  const double spread = spread_of(*x, *y, value);
  return {fmt::format("{}({}) - {}({}) = {:+.1f}{}", name, larger, name, smaller,
                      100 * (a.mean - b.mean),
                      a.count > 1 ? fmt::format(" (spread {:.1f})", 100 * spread) : ""),
          true,
          a.mean - b.mean - margin,
          spread,
          std::max(kLeast - margin, 0.0),
          std::min(a.count, b.count)};
}

// All of them hold, one is refuted, or nothing is decided: a difference counts if it is at least
// one point and larger than the spread of the seeds.
std::string verdict(const std::vector<Comparison>& all) {
  const auto is = [&](auto what) { return std::any_of(all.begin(), all.end(), what); };
  if (is([](const Comparison& c) { return !c.known; })) return "open";
  constexpr double kRounding = 1e-9;
  const auto needed = [](const Comparison& c) { return std::max(c.least, c.spread) - kRounding; };
  if (is([&](const Comparison& c) { return -c.beyond > needed(c); })) return "does not hold";
  if (is([&](const Comparison& c) { return c.beyond < needed(c); })) return "undecided";
  return "holds";
}

std::string extreme(const TableRows& rows, TableValue value, bool largest, const std::string& but) {
  const auto beats = [&](const TableRow& x, const TableRow& y) {
    return ((x.*value).mean > (y.*value).mean) == largest;
  };
  const TableRow* best = nullptr;
  const TableRow* unknown = nullptr;
  for (const auto& row : rows) {
    if (row.label == but) continue;
    if ((row.*value).count == 0) {
      unknown = &row;
    } else if (best == nullptr || beats(row, *best)) {
      best = &row;
    }
  }
  const auto* own = find(rows, but);
  const bool decides = best != nullptr && own != nullptr && beats(*best, *own);
  if (unknown != nullptr && !decides) return unknown->label;
  return best == nullptr ? "" : best->label;
}

Comparison compare_best(const TableRows& rows, const char* name, TableValue value,
                        const std::string& label) {
  return compare(rows, name, value, label, extreme(rows, value, true, label));
}

Trend trend(const std::string& what, const std::vector<Comparison>& all) {
  std::vector<Comparison> own;
  std::copy_if(all.begin(), all.end(), std::back_inserter(own),
               [](const Comparison& one) { return one.in_suite; });
  if (own.empty()) return {.what = what, .verdict = "", .details = ""};
  std::vector<std::string> parts;
  for (const auto& one : own) parts.push_back(one.text);
  auto said = verdict(own);
  const bool decided = said != "open" && said != "undecided";
  if (decided && std::any_of(own.begin(), own.end(), [](const auto& one) { return one.seeds < 2; }))
    said += " (one seed)";
  return {.what = what, .verdict = said, .details = fmt::format("{}", fmt::join(parts, "; "))};
}

std::string trends_text(const std::vector<Trend>& trends) {
  std::string text;
  for (const auto& one : trends) {
    if (one.verdict.empty()) continue;
    text += fmt::format("- {}: **{}**. {}\n", one.what, one.verdict, one.details);
  }
  return text;
}

Trend newest_trend(const TableRows& rows) {
  const char* what = "all methods learn the new classes about equally well (within 5 points)";
  if (rows.empty() || std::any_of(rows.begin(), rows.end(),
                                  [](const TableRow& row) { return row.newest.count == 0; }))
    return {.what = what, .verdict = "open", .details = "Not all were run"};
  const auto [low, high] = std::minmax_element(
      rows.begin(), rows.end(),
      [](const TableRow& x, const TableRow& y) { return x.newest.mean < y.newest.mean; });
  return {
      .what = what,
      .verdict = high->newest.mean - low->newest.mean <= 0.05 ? "holds" : "does not hold",
      .details = fmt::format("Kept classes of the last task: {} {} to {} {}", low->label,
                             percent(low->newest.mean), high->label, percent(high->newest.mean))};
}

}  // namespace lethe
