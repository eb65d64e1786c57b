#include "tools/suite/sensitivity.h"

#include <fmt/format.h>

#include <array>

#include "lethe/report/line_chart.h"
#include "tools/suite/suite_table.h"
#include "tools/suite/trends.h"

namespace lethe {

std::vector<SuiteRun> sensitivity_runs(double lambda_p, double lambda_d) {
  struct Ratio {
    int p, d;
  };
  constexpr std::array<Ratio, 7> kRatios = {
      {{10, 1}, {5, 1}, {2, 1}, {1, 1}, {1, 2}, {1, 5}, {1, 10}}};
  std::vector<SuiteRun> runs;
  for (const auto& [p, d] : kRatios) {
    runs.push_back({.label = fmt::format("{}:{}", p, d),
                    .folder = fmt::format("{}to{}", p, d),
                    .sets = {"method.name=contrastive",
                             fmt::format("method.contrastive.lambda_p={}", lambda_p * p),
                             fmt::format("method.contrastive.lambda_d={}", lambda_d * d)}});
  }
  return runs;
}

namespace {

LineChart chart_of(const std::string& data, const TableRows& rows) {
  LineChart chart = {.title = "A, F and S over lambda_p : lambda_d, " + data,
                     .x_name = "lambda_p : lambda_d (relative to the default)",
                     .y_name = "percent",
                     .places = {},
                     .lines = {{"A", {}, {}}, {"F", {}, {}}, {"S", {}, {}}}};
  for (const auto& row : rows) {
    chart.places.push_back(row.label);
    const std::array values = {row.a, row.f, row.s};
    for (size_t i = 0; i < values.size(); ++i) {
      chart.lines[i].values.push_back(100 * values[i].mean);
      chart.lines[i].deviations.push_back(100 * values[i].deviation);
    }
  }
  return chart;
}

std::string trends_of(const TableRows& rows) {
  constexpr TableValue A = &TableRow::a;
  constexpr TableValue F = &TableRow::f;
  constexpr TableValue S = &TableRow::s;
  return trend_line("a larger lambda_p raises A and lowers F",
                    {compare(rows, "A", A, "10:1", "1:1"), compare(rows, "F", F, "1:1", "10:1")}) +
         trend_line("a larger lambda_d raises F and lowers A",
                    {compare(rows, "F", F, "1:10", "1:1"), compare(rows, "A", A, "1:1", "1:10")}) +
         trend_line("1:1 has the best S", {compare_best(rows, "S", S, "1:1")});
}

}  // namespace

SuiteDocument sensitivity_layout(const SuiteResults& results) {
  auto document = plain_layout(results);
  for (const auto& data : results.data) {
    const auto rows = table_rows(results, data);
    if (rows.empty()) continue;
    const bool is_first = data == results.data.front();
    const auto ending = is_first ? std::string(".svg") : fmt::format("-{}.svg", data);
    document.files.emplace_back(ending, to_svg(chart_of(data, rows)));
    document.body +=
        fmt::format("\n![A, F and S over the ratio, {}]({}{})\n\nTrends of the paper, {}:\n\n{}",
                    data, results.suite, ending, data, trends_of(all_rows(results, data)));
  }
  return document;
}

}  // namespace lethe
