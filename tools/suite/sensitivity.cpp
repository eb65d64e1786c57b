#include "tools/suite/sensitivity.h"

#include <fmt/format.h>

#include <array>

#include "lethe/report/line_chart.h"
#include "tools/suite/suite_table.h"
#include "tools/suite/trends.h"

namespace lethe {

namespace {

LineChart chart_of(const std::string& title, const std::string& x_name, const TableRows& rows) {
  LineChart chart = {.title = title,
                     .x_name = x_name,
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

std::vector<Trend> trends_of(const TableRows& rows) {
  constexpr TableValue kA = &TableRow::a;
  constexpr TableValue kF = &TableRow::f;
  constexpr TableValue kS = &TableRow::s;
  return {trend("a larger lambda_p raises A and lowers F",
                {compare(rows, "A", kA, "10:1", "1:1"), compare(rows, "F", kF, "1:1", "10:1")}),
          trend("a larger lambda_d raises F and lowers A",
                {compare(rows, "F", kF, "1:10", "1:1"), compare(rows, "A", kA, "1:1", "1:10")}),
          trend("1:1 has the best S", {compare_best(rows, "S", kS, "1:1")})};
}

// The plain layout; then for every dataset a chart and the text that `add` has for it.
template <typename Add>
SuiteDocument with_charts(const SuiteResults& results, const std::string& over,
                          const std::string& x_name, const Add& add) {
  auto document = plain_layout(results);
  for (const auto& data : results.data) {
    const auto rows = table_rows(results, data);
    if (rows.empty()) continue;
    const bool is_first = data == results.data.front();
    const auto ending = is_first ? std::string(".svg") : fmt::format("-{}.svg", data);
    const auto title = "A, F and S over " + over + (data.empty() ? "" : ", " + data);
    document.files.emplace_back(ending, to_svg(chart_of(title, x_name, rows)));
    document.body += add(document, data, results.page + ending);
  }
  return document;
}

}  // namespace

SuiteDocument sensitivity_layout(const SuiteResults& results) {
  return with_charts(
      results, "lambda_p : lambda_d", "lambda_p : lambda_d (relative to the default)",
      [&](SuiteDocument& document, const std::string& data, const std::string& file) {
        document.trends.push_back({.data = data, .trends = trends_of(all_rows(results, data))});
        return fmt::format(
            "\n![A, F and S over the ratio, {}]({})\n\nTrends of the paper, {}:\n\n{}", data, file,
            data, trends_text(document.trends.back().trends));
      });
}

SuiteDocument chart_layout(const SuiteResults& results) {
  return with_charts(results, "the runs", "run",
                     [](SuiteDocument&, const std::string& data, const std::string& file) {
                       return fmt::format("\n![A, F and S {}]({})\n", data, file);
                     });
}

}  // namespace lethe
