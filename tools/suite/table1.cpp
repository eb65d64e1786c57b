#include "tools/suite/table1.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "lethe/report/table.h"
#include "tools/suite/suite_table.h"
#include "tools/suite/trends.h"

namespace lethe {

namespace {

// Percent, as printed. `mc` has no row there.
struct PaperRow {
  const char* method;
  std::array<double, 3> cifar100, cub200, cars;  // S, A, F
};
constexpr std::array<PaperRow, 11> kPaper = {{
    {"finetune", {51.8, 39.7, 74.6}, {42.2, 31.8, 62.9}, {48.1, 41.1, 58.1}},
    {"ewc", {48.6, 36.5, 72.4}, {41.4, 33.0, 55.5}, {48.7, 47.7, 49.8}},
    {"ewc*", {49.6, 36.6, 77.1}, {42.1, 33.4, 56.9}, {50.7, 46.2, 56.2}},
    {"mas", {47.5, 34.9, 74.2}, {45.1, 34.9, 63.7}, {48.8, 44.7, 53.8}},
    {"lwf", {17.2, 79.1, 9.7}, {15.2, 69.0, 8.5}, {9.9, 88.1, 5.3}},
    {"lwf*", {68.2, 81.3, 58.8}, {44.5, 68.3, 33.1}, {53.7, 88.2, 38.6}},
    {"le*", {67.6, 81.2, 58.0}, {43.4, 69.3, 31.6}, {52.8, 88.7, 37.6}},
    {"lm*", {66.4, 81.8, 55.8}, {47.5, 69.7, 36.0}, {50.6, 89.0, 35.3}},
    {"mc_m", {73.2, 72.6, 73.8}, {58.0, 63.1, 53.6}, {72.2, 84.6, 63.0}},
    {"mc_e", {79.6, 75.3, 84.4}, {61.4, 66.0, 57.4}, {73.7, 86.0, 64.5}},
    {"contrastive", {81.7, 78.2, 85.6}, {64.0, 67.4, 61.0}, {75.9, 87.2, 67.1}},
}};

// The printed A, F, S of a method, or three empty cells.
std::vector<std::string> paper_cells(const std::string& method, const std::string& data) {
  for (const auto& row : kPaper) {
    if (row.method != method) continue;
    const auto& [s, a, f] = data == "cifar100" ? row.cifar100
                            : data == "cub200" ? row.cub200
                                               : row.cars;
    return {fmt::format("{:.1f}", a), fmt::format("{:.1f}", f), fmt::format("{:.1f}", s)};
  }
  return {"", "", ""};
}

std::string trends(const TableRows& rows) {
  constexpr TableValue A = &TableRow::a;
  constexpr TableValue F = &TableRow::f;
  constexpr TableValue S = &TableRow::s;
  std::string text;
  const auto add = [&](const char* what, const std::vector<Comparison>& all) {
    text += trend_line(what, all);
  };
  add("plain training forgets much and keeps little (finetune against lwf)",
      {compare(rows, "F", F, "finetune", "lwf"), compare(rows, "A", A, "lwf", "finetune")});
  add("lwf forgets least of all methods",
      {compare(rows, "F", F, extreme(rows, F, false, "lwf"), "lwf")});
  add("the star raises F",
      {compare(rows, "F", F, "lwf*", "lwf"), compare(rows, "F", F, "ewc*", "ewc")});
  add("mnemonic codes lie between lwf* and contrastive in S",
      {compare(rows, "S", S, "mc_e", "lwf*"), compare(rows, "S", S, "mc_m", "lwf*"),
       compare(rows, "S", S, "contrastive", "mc_e"), compare(rows, "S", S, "contrastive", "mc_m")});
  add("contrastive has the best S", {compare_best(rows, "S", S, "contrastive")});
  add("S rises in the order finetune, lwf*, mc_e, contrastive",
      {compare(rows, "S", S, "lwf*", "finetune"), compare(rows, "S", S, "mc_e", "lwf*"),
       compare(rows, "S", S, "contrastive", "mc_e")});
  text += newest_line(rows);
  return text;
}

}  // namespace

SuiteDocument table1_layout(const SuiteResults& results) {
  SuiteDocument document;
  for (const auto& data : results.data) {
    const auto rows = table_rows(results, data);
    std::vector<std::vector<std::string>> cells;
    for (const auto& row : rows) {
      cells.push_back({row.label, fmt::format("{}", fmt::join(row.seeds, " ")), percent(row.a),
                       percent(row.f), percent(row.s), percent(row.mean_a), percent(row.mean_f),
                       percent(row.mean_s)});
      for (auto& cell : paper_cells(row.label, data)) cells.back().push_back(std::move(cell));
    }
    document.body += fmt::format(
        "{}## {}\n\n{}\nA, F, S: after the last task; mean: over the tasks at whose end something "
        "had been forgotten; paper: Table 1, its own networks, data and epochs.\n\n"
        "Trends of the paper:\n\n{}",
        document.body.empty() ? "" : "\n", data,
        markdown_table({"method", "seeds", "A", "F", "S", "mean A", "mean F", "mean S", "paper A",
                        "paper F", "paper S"},
                       cells),
        trends(all_rows(results, data)));
  }
  document.files = {{".csv", records_csv(results)}, {".json", rows_json(results)}};
  return document;
}

}  // namespace lethe
