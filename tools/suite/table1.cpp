#include "tools/suite/table1.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lethe/report/table.h"
#include "tools/suite/advice.h"
#include "tools/suite/suite_table.h"
#include "tools/suite/trends.h"

namespace lethe {

namespace {

std::vector<Trend> trends(const TableRows& rows) {
  constexpr TableValue kA = &TableRow::a;
  constexpr TableValue kF = &TableRow::f;
  constexpr TableValue kS = &TableRow::s;
  std::vector<Trend> found;
  const auto add = [&](const char* what, const std::vector<Comparison>& all) {
    found.push_back(trend(what, all));
  };
  add("plain training forgets much and keeps little (finetune against lwf)",
      {compare(rows, "F", kF, "finetune", "lwf"), compare(rows, "A", kA, "lwf", "finetune")});
  add("lwf forgets least of all methods",
      {compare(rows, "F", kF, extreme(rows, kF, false, "lwf"), "lwf")});
  add("the star raises F",
      {compare(rows, "F", kF, "lwf*", "lwf"), compare(rows, "F", kF, "ewc*", "ewc")});
  add("mnemonic codes lie between lwf* and contrastive in S",
      {compare(rows, "S", kS, "mc_e", "lwf*"), compare(rows, "S", kS, "mc_m", "lwf*"),
       compare(rows, "S", kS, "contrastive", "mc_e"),
       compare(rows, "S", kS, "contrastive", "mc_m")});
  add("contrastive has the best S", {compare_best(rows, "S", kS, "contrastive")});
  add("S rises in the order finetune, lwf*, mc_e, contrastive",
      {compare(rows, "S", kS, "lwf*", "finetune"), compare(rows, "S", kS, "mc_e", "lwf*"),
       compare(rows, "S", kS, "contrastive", "mc_e")});
  found.push_back(newest_trend(rows));
  return found;
}

const std::vector<Aim> kAims = {
    {"forget, keep and learn (S)", &TableRow::s},
    {"the same over all tasks, not only at the end (mean S)", &TableRow::mean_s},
    {"keep and learn, whatever is forgotten (A)", &TableRow::a},
    {"keep and learn, the task of an image is not known (A all)", &TableRow::a_all}};

}  // namespace

SuiteDocument table1_layout(const SuiteResults& results) {
  SuiteDocument document;
  for (const auto& data : results.data) {
    const auto rows = table_rows(results, data);
    const bool has_all = has_accuracy_over_all(rows);
    std::vector<std::string> header = {"method", "seeds",  "A",      "F",
                                       "S",      "mean A", "mean F", "mean S"};
    if (has_all) header.emplace_back("A all");
    const auto features = feature_header(rows);
    header.insert(header.end(), features.begin(), features.end());
    header.insert(header.end(), {"paper A", "paper F", "paper S"});
    std::vector<std::vector<std::string>> cells;
    for (const auto& row : rows) {
      cells.push_back({row.label, fmt::format("{}", fmt::join(row.seeds, " ")), percent(row.a),
                       percent(row.f), percent(row.s), percent(row.mean_a), percent(row.mean_f),
                       percent(row.mean_s)});
      if (has_all) cells.back().push_back(percent(row.a_all));
      if (!features.empty()) {
        for (auto& cell : feature_cells(row)) cells.back().push_back(std::move(cell));
      }
      for (auto& cell : results.paper.cells(data, row.label))
        cells.back().push_back(std::move(cell));
    }
    document.trends.push_back({.data = data, .trends = trends(all_rows(results, data))});
    document.body += fmt::format(
        "{}## {}\n\n{}{}\nA, F, S: after the last task; mean: over the tasks at whose end "
        "something had been forgotten; paper: Table 1, its own networks, data and epochs.{}\n\n"
        "Trends of the paper:\n\n{}",
        document.body.empty() ? "" : "\n", data, advice(rows, kAims), markdown_table(header, cells),
        features.empty() ? "" : std::string(" ") + kFeatureLegend,
        trends_text(document.trends.back().trends));
  }
  document.files = {{".csv", records_csv(results)}, {".json", rows_json(results)}};
  return document;
}

}  // namespace lethe
