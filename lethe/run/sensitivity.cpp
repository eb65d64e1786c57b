#include "lethe/run/sensitivity.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "lethe/report/line_chart.h"
#include "lethe/run/suite_table.h"

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

SuiteDocument sensitivity_layout(const SuiteResults& results) {
  auto document = plain_layout(results);
  const auto rows = table_rows(results, results.data.front());
  LineChart chart = {.title = "A, F and S over lambda_p : lambda_d, " + results.data.front(),
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
  document.files.emplace_back(".svg", to_svg(chart));
  document.body += fmt::format("\n![A, F and S over the ratio]({}.svg)\n", results.suite);
  return document;
}

}  // namespace lethe
