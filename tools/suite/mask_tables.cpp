#include "tools/suite/mask_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "lethe/report/line_chart.h"
#include "lethe/report/table.h"
#include "tools/suite/suite_table.h"
#include "tools/suite/trends.h"

namespace lethe {

namespace {

using Triple = std::array<double, 3>;  // S, A, F in percent, as printed
using PaperColumn = std::map<std::string, Triple>;

constexpr double kNone = -1;  // the paper gives no such value

// Table 2.
const std::map<std::string, PaperColumn>& paper_streams() {
  static const std::map<std::string, PaperColumn> columns = {
      {"19-1",
       {{"finetune", {27.2, 16.2, 85.6}},
        {"mib", {26.7, 82.8, 15.9}},
        {"mib*", {26.3, 82.8, 15.6}},
        {"ssul", {20.2, 88.4, 11.4}},
        {"ssul*", {21.7, 88.2, 12.4}},
        {"sdr", {26.9, 79.6, 16.2}},
        {"sdr*", {34.8, 69.4, 23.2}},
        {"mc_e", {51.0, 49.2, 53.1}},
        {"lwf", {47.0, 61.0, 38.3}},
        {"lwf*", {55.9, 58.9, 53.2}},
        {"contrastive", {70.0, 76.7, 50.6}}}},
      {"15-5",
       {{"finetune", {44.4, 29.6, 88.8}},
        {"mib", {8.7, 84.2, 4.6}},
        {"mib*", {17.4, 83.7, 9.7}},
        {"ssul", {19.0, 86.2, 10.7}},
        {"ssul*", {28.7, 81.6, 17.4}},
        {"sdr", {22.5, 77.2, 13.2}},
        {"sdr*", {31.7, 75.4, 20.1}},
        {"mc_e", {49.0, 40.1, 63.0}},
        {"lwf", {35.2, 66.6, 23.9}},
        {"lwf*", {63.7, 66.7, 61.0}},
        {"contrastive", {72.9, 67.1, 80.0}}}},
      {"15-1",
       {{"finetune", {16.4, 9.0, 89.9}},
        {"mib", {49.2, 40.3, 63.1}},
        {"mib*", {52.5, 40.2, 75.7}},
        {"ssul", {47.5, 56.9, 40.7}},
        {"ssul*", {48.1, 53.5, 43.7}},
        {"sdr", {32.7, 20.0, 89.0}},
        {"sdr*", {31.9, 19.4, 89.2}},
        {"mc_e", {24.7, 14.4, 86.9}},
        {"lwf", {24.2, 15.1, 61.0}},
        {"lwf*", {26.6, 15.6, 89.4}},
        {"contrastive", {56.3, 41.2, 88.7}}}}};
  return columns;
}

// Table 3.
const std::map<std::string, PaperColumn>& paper_counts() {
  static const std::map<std::string, PaperColumn> columns = {
      {"del1",
       {{"mib*", {40.0, 84.0, 23.7}},
        {"ssul*", {46.2, 82.4, 32.1}},
        {"sdr*", {65.1, 71.6, 59.7}},
        {"lwf*", {74.7, 67.5, 83.6}},
        {"contrastive", {80.8, 74.2, 88.7}}}},
      {"del5",
       {{"mib*", {17.4, 83.7, 9.7}},
        {"ssul*", {28.7, 81.6, 17.4}},
        {"sdr*", {31.7, 75.4, 20.1}},
        {"lwf*", {65.5, 70.7, 61.0}},
        {"contrastive", {72.9, 67.1, 80.0}}}},
      {"del10",
       {{"mib*", {13.8, 85.3, 7.5}},
        {"ssul*", {27.2, 75.2, 16.6}},
        {"sdr*", {31.1, 78.6, 19.4}},
        {"lwf*", {58.5, 80.8, 45.9}},
        {"contrastive", {66.4, 81.6, 56.0}}}}};
  return columns;
}

// Table 4, rows as ablations() has them.
const PaperColumn& paper_ablation() {
  static const PaperColumn column = {{"L_pc", {63.9, 67.1, 61.0}},
                                     {"+ in_p", {60.4, 68.2, 54.2}},
                                     {"+ in_p ex_p", {61.0, 68.4, 55.1}},
                                     {"+ in_d", {59.6, 47.4, 80.1}},
                                     {"+ in_d ex_d", {63.5, 52.2, 81.2}},
                                     {"+ in_p ex_p in_d", {71.0, 64.3, 79.4}},
                                     {"+ in_p ex_p ex_d", {61.2, 65.6, 57.4}},
                                     {"all", {72.9, 67.1, 80.0}}};
  return column;
}

// Table 5 has S only.
const std::map<std::string, PaperColumn>& paper_spaces() {
  static const std::map<std::string, PaperColumn> columns = {
      {"19-1",
       {{"F", {66.7, kNone, kNone}},
        {"F, F*", {69.1, kNone, kNone}},
        {"F, F*, F**", {70.0, kNone, kNone}}}},
      {"15-5",
       {{"F", {69.4, kNone, kNone}},
        {"F, F*", {72.2, kNone, kNone}},
        {"F, F*, F**", {72.9, kNone, kNone}}}},
      {"15-1",
       {{"F", {55.7, kNone, kNone}},
        {"F, F*", {56.1, kNone, kNone}},
        {"F, F*, F**", {56.3, kNone, kNone}}}}};
  return columns;
}

const PaperColumn& column_of(const std::map<std::string, PaperColumn>& columns,
                             const std::string& data) {
  static const PaperColumn none;
  const auto found = columns.find(data);
  return found == columns.end() ? none : found->second;
}

std::string printed(double value) { return value == kNone ? "" : fmt::format("{:.1f}", value); }

std::string mask_table(const TableRows& rows, const PaperColumn& paper) {
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows) {
    cells.push_back({row.label, fmt::format("{}", fmt::join(row.seeds, " ")), percent(row.a),
                     percent(row.f), percent(row.s), percent(row.background),
                     in_units(row.distance), percent(row.probe)});
    const auto found = paper.find(row.label);
    const bool is_there = found != paper.end();
    for (const size_t i : {1u, 2u, 0u})
      cells.back().push_back(is_there ? printed(found->second[i]) : "");
  }
  return markdown_table({"row", "seeds", "A", "F", "S", "to background", "distance", "probe",
                         "paper A", "paper F", "paper S"},
                        cells);
}

constexpr const char* kLegend =
    "To background: pixels of forgotten classes that are background now. Distance: of their "
    "features to the mean before, in units of the spread before (1 = not moved). Probe: balanced "
    "accuracy of a linear classifier on the features (50 = nothing left). Paper: VOC 2012, "
    "ResNet-101, its own epochs.\n";

// A section per data set: its table, then what trends says of it.
template <typename Trends>
SuiteDocument sections(const SuiteResults& results,
                       const std::map<std::string, PaperColumn>& columns, const Trends& trends) {
  SuiteDocument document;
  for (const auto& data : results.data) {
    const auto rows = table_rows(results, data);
    document.body += fmt::format("{}## {}\n\n{}", document.body.empty() ? "" : "\n", data,
                                 mask_table(rows, column_of(columns, data)));
    const auto said = trends(all_rows(results, data));
    if (!said.empty()) document.body += "\nTrends of the paper:\n\n" + said;
  }
  document.body += std::string("\n") + kLegend;
  document.files = {{".csv", records_csv(results)}, {".json", rows_json(results)}};
  return document;
}

constexpr TableValue A = &TableRow::a;
constexpr TableValue F = &TableRow::f;
constexpr TableValue S = &TableRow::s;

std::string stream_trends(const TableRows& rows) {
  std::string text;
  text += trend_line(
      "plain training forgets much and keeps little (finetune against mib)",
      {compare(rows, "F", F, "finetune", "mib"), compare(rows, "A", A, "mib", "finetune")});
  text +=
      trend_line("the star raises F",
                 {compare(rows, "F", F, "lwf*", "lwf"), compare(rows, "F", F, "mib*", "mib"),
                  compare(rows, "F", F, "ssul*", "ssul"), compare(rows, "F", F, "sdr*", "sdr")});
  text += trend_line("contrastive has the best S", {compare_best(rows, "S", S, "contrastive")});
  return text + newest_line(rows);
}

// One value of a row on two data sets.
std::string falls_with_count(const SuiteResults& results) {
  std::string text;
  for (const auto& label : results.labels) {
    std::vector<std::string> values;
    std::vector<double> means;
    for (const auto& data : results.data) {
      for (const auto& row : table_rows(results, data)) {
        if (row.label != label) continue;
        values.push_back(fmt::format("{} {}", data, percent(row.f)));
        means.push_back(row.f.mean);
      }
    }
    if (means.size() < 2) continue;
    text += fmt::format("- {}: **{}**. F: {}\n", label,
                        std::is_sorted(means.rbegin(), means.rend()) ? "holds" : "does not hold",
                        fmt::join(values, ", "));
  }
  return text.empty() ? text : "\nForgetting more classes lowers F:\n\n" + text;
}

// Whether the contrastive method is rid of forgotten classes after one epoch where others are not,
// and whether all learn the new classes about equally well.
std::string epoch_trends(const SuiteResults& results) {
  TableRows rows;  // f: what is left of forgotten classes after the first epoch
  std::vector<std::string> others;
  for (const auto& label : results.labels) {
    std::vector<double> left, fresh;
    for (const auto& record : results.records) {
      if (record.label != label) continue;
      for (const auto& point : record.outcome.epochs) {
        if (point.epoch == 1) left.push_back(point.forgotten);
      }
      if (!record.outcome.epochs.empty()) fresh.push_back(record.outcome.epochs.back().fresh);
    }
    TableRow row;
    row.label = label;
    row.f = statistic(left);
    row.newest = statistic(fresh);
    rows.push_back(row);
    if (label != "contrastive") others.push_back(label);
  }
  std::vector<Comparison> slower;
  for (const auto& other : others)
    slower.push_back(compare(rows, "forgotten after one epoch", F, other, "contrastive"));
  if (slower.empty()) return {};
  return "\nTrends of the paper:\n\n" +
         trend_line("contrastive forgets within few epochs, others take longer", slower) +
         newest_line(rows);
}

}  // namespace

const std::vector<Ablation>& ablations() {
  static const std::vector<Ablation> rows = {
      {"L_pc", false, false, false, false},          {"+ in_p", true, false, false, false},
      {"+ in_p ex_p", true, true, false, false},     {"+ in_d", false, false, true, false},
      {"+ in_d ex_d", false, false, true, true},     {"+ in_p ex_p in_d", true, true, true, false},
      {"+ in_p ex_p ex_d", true, true, false, true}, {"all", true, true, true, true}};
  return rows;
}

SuiteDocument table2_layout(const SuiteResults& results) {
  return sections(results, paper_streams(), stream_trends);
}

SuiteDocument table3_layout(const SuiteResults& results) {
  auto document = sections(results, paper_counts(), [](const TableRows& rows) {
    return trend_line("contrastive has the best S", {compare_best(rows, "S", S, "contrastive")});
  });
  document.body += falls_with_count(results);
  return document;
}

SuiteDocument table4_layout(const SuiteResults& results) {
  std::map<std::string, PaperColumn> columns;
  for (const auto& data : results.data) columns[data] = paper_ablation();
  return sections(results, columns, [](const TableRows& rows) {
    std::string text;
    text += trend_line(
        "L_in^d raises F strongly (5 points or more; the paper: 19) and costs A (the paper: 20)",
        {compare(rows, "F", F, "+ in_d", "L_pc", 0.05), compare(rows, "A", A, "L_pc", "+ in_d")});
    text += trend_line("L_in^p and L_ex^p win A back",
                       {compare(rows, "A", A, "+ in_p ex_p in_d", "+ in_d")});
    text +=
        trend_line("L_ex^d sends forgotten pixels to the background",
                   {compare(rows, "background", &TableRow::background, "+ in_d ex_d", "+ in_d"),
                    compare(rows, "background", &TableRow::background, "all", "+ in_p ex_p in_d")});
    text += trend_line("all terms together have the best S", {compare_best(rows, "S", S, "all")});
    return text;
  });
}

SuiteDocument table5_layout(const SuiteResults& results) {
  return sections(results, paper_spaces(), [](const TableRows& rows) {
    return trend_line("every space raises S", {compare(rows, "S", S, "F, F*", "F"),
                                               compare(rows, "S", S, "F, F*, F**", "F, F*")});
  });
}

SuiteDocument epochs_layout(const SuiteResults& results) {
  auto document = plain_layout(results);
  struct Picture {
    const char* ending;
    const char* name;
    double EpochPoint::*value;
  };
  constexpr std::array<Picture, 2> kPictures = {
      {{"-forgotten.svg", "forgotten classes", &EpochPoint::forgotten},
       {"-new.svg", "new classes", &EpochPoint::fresh}}};
  for (const auto& picture : kPictures) {
    LineChart chart = {
        .title = fmt::format("Accuracy of {} per epoch of the second task", picture.name),
        .x_name = "epoch",
        .y_name = "percent",
        .places = {},
        .lines = {}};
    for (const auto& label : results.labels) {
      std::map<int64_t, std::vector<double>> values;
      for (const auto& record : results.records) {
        if (record.label != label) continue;
        for (const auto& point : record.outcome.epochs)
          values[point.epoch].push_back(100 * (point.*picture.value));
      }
      if (values.empty()) continue;
      ChartLine line = {.name = label, .values = {}, .deviations = {}};
      std::vector<std::string> places;
      for (const auto& [epoch, all] : values) {
        places.push_back(std::to_string(epoch));
        line.values.push_back(statistic(all).mean);
        line.deviations.push_back(statistic(all).deviation);
      }
      if (places.size() > chart.places.size()) chart.places = std::move(places);
      chart.lines.push_back(std::move(line));
    }
    document.files.emplace_back(picture.ending, to_svg(chart));
    document.body += fmt::format("\n![{}]({}{})\n", chart.title, results.suite, picture.ending);
  }
  document.body += epoch_trends(results);
  return document;
}

}  // namespace lethe
