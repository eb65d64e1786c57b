#include "tools/suite/mask_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "lethe/report/line_chart.h"
#include "lethe/report/table.h"
#include "tools/suite/advice.h"
#include "tools/suite/suite_table.h"
#include "tools/suite/trends.h"

namespace lethe {

namespace {

std::string mask_table(const TableRows& rows, const PaperValues& paper, const std::string& data) {
  const auto features = feature_header(rows);
  std::vector<std::string> header = {"row", "seeds", "A", "F", "S"};
  const auto masks = mask_header();
  header.insert(header.end(), masks.begin(), masks.end());
  header.insert(header.end(), features.begin(), features.end());
  header.insert(header.end(), {"paper A", "paper F", "paper S"});
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows) {
    cells.push_back({row.label, fmt::format("{}", fmt::join(row.seeds, " ")), percent(row.a),
                     percent(row.f), percent(row.s)});
    for (auto& cell : mask_cells(row)) cells.back().push_back(std::move(cell));
    if (!features.empty()) {
      for (auto& cell : feature_cells(row)) cells.back().push_back(std::move(cell));
    }
    for (auto& cell : paper.cells(data, row.label)) cells.back().push_back(std::move(cell));
  }
  return markdown_table(header, cells);
}

std::string legend() {
  return fmt::format("{} {}Paper: VOC 2012, ResNet-101, its own epochs.\n", kMaskLegend,
                     kFeatureLegend);
}

// A section per dataset: advice for the aims, its table, then the verdicts of trends.
template <typename Trends>
SuiteDocument sections(const SuiteResults& results, const Trends& trends,
                       const std::vector<Aim>& aims = {}) {
  SuiteDocument document;
  for (const auto& data : results.data) {
    const auto rows = table_rows(results, data);
    document.body += fmt::format("{}## {}\n\n{}{}", document.body.empty() ? "" : "\n", data,
                                 advice(rows, aims), mask_table(rows, results.paper, data));
    document.trends.push_back({.data = data, .trends = trends(all_rows(results, data))});
    document.body += "\nTrends of the paper:\n\n" + trends_text(document.trends.back().trends);
  }
  document.body += '\n' + legend();
  document.files = {{".csv", records_csv(results)}, {".json", rows_json(results)}};
  return document;
}

constexpr TableValue kA = &TableRow::a;
constexpr TableValue kF = &TableRow::f;
constexpr TableValue kS = &TableRow::s;

// For a choice between methods.
const std::vector<Aim> kAims = {
    {"forget, keep and learn (S)", kS},
    {"the same without false positives (A by IoU)", &TableRow::a_iou},
    {"keep and learn, whatever is forgotten (A)", kA},
    {"pixels of forgotten classes become background", &TableRow::background}};

std::vector<Trend> stream_trends(const TableRows& rows) {
  return {
      trend("plain training forgets much and keeps little (finetune against mib)",
            {compare(rows, "F", kF, "finetune", "mib"), compare(rows, "A", kA, "mib", "finetune")}),
      trend("the star raises F",
            {compare(rows, "F", kF, "lwf*", "lwf"), compare(rows, "F", kF, "mib*", "mib"),
             compare(rows, "F", kF, "ssul*", "ssul"), compare(rows, "F", kF, "sdr*", "sdr")}),
      trend("contrastive has the best S", {compare_best(rows, "S", kS, "contrastive")}),
      newest_trend(rows)};
}

// Whether F falls from dataset to dataset, that is with the number of forgotten classes.
std::vector<Trend> falls_with_count(const SuiteResults& results) {
  std::vector<Trend> found;
  for (const auto& label : results.labels) {
    TableRows rows;  // a row per dataset
    for (const auto& data : results.data) {
      for (const auto& row : table_rows(results, data)) {
        if (row.label != label) continue;
        rows.push_back(row);
        rows.back().label = data;
      }
    }
    std::vector<Comparison> steps;
    for (size_t i = 1; i < rows.size(); ++i)
      steps.push_back(compare(rows, "F", kF, rows[i - 1].label, rows[i].label));
    if (!steps.empty())
      found.push_back(trend("forgetting more classes lowers F of " + label, steps));
  }
  return found;
}

// Whether the contrastive method has forgotten after one epoch where others have not, and whether
// all methods learn the new classes about equally well.
std::vector<Trend> epoch_trends(const SuiteResults& results) {
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
    slower.push_back(compare(rows, "forgotten after one epoch", kF, other, "contrastive"));
  if (slower.empty()) return {};
  return {trend("contrastive forgets within few epochs, others take longer", slower),
          newest_trend(rows)};
}

}  // namespace

SuiteDocument table2_layout(const SuiteResults& results) {
  return sections(results, stream_trends, kAims);
}

SuiteDocument table3_layout(const SuiteResults& results) {
  auto document = sections(
      results,
      [](const TableRows& rows) {
        return std::vector<Trend>{
            trend("contrastive has the best S", {compare_best(rows, "S", kS, "contrastive")})};
      },
      kAims);
  if (auto falls = falls_with_count(results); !falls.empty()) {
    document.body += "\nTrends of the paper, over the columns:\n\n" + trends_text(falls);
    document.trends.push_back({.data = "", .trends = std::move(falls)});
  }
  return document;
}

SuiteDocument table4_layout(const SuiteResults& results) {
  return sections(results, [](const TableRows& rows) {
    constexpr TableValue kBackground = &TableRow::background;
    return std::vector<Trend>{
        trend("L_in^d raises F strongly (5 points or more; the paper: 19) and costs A (the paper: "
              "20)",
              {compare(rows, "F", kF, "+ in_d", "L_pc", 0.05),
               compare(rows, "A", kA, "L_pc", "+ in_d")}),
        trend("L_in^p and L_ex^p win A back",
              {compare(rows, "A", kA, "+ in_p ex_p in_d", "+ in_d")}),
        trend("L_ex^d sends forgotten pixels to the background",
              {compare(rows, "background", kBackground, "+ in_d ex_d", "+ in_d"),
               compare(rows, "background", kBackground, "all", "+ in_p ex_p in_d")}),
        trend("all terms together have the best S", {compare_best(rows, "S", kS, "all")})};
  });
}

SuiteDocument table5_layout(const SuiteResults& results) {
  return sections(results, [](const TableRows& rows) {
    return std::vector<Trend>{trend(
        "every space raises S",
        {compare(rows, "S", kS, "F, F*", "F"), compare(rows, "S", kS, "F, F*, F**", "F, F*")})};
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
    document.body += fmt::format("\n![{}]({}{})\n", chart.title, results.page, picture.ending);
  }
  if (auto found = epoch_trends(results); !found.empty()) {
    document.body += "\nTrends of the paper:\n\n" + trends_text(found);
    document.trends.push_back({.data = "", .trends = std::move(found)});
  }
  return document;
}

}  // namespace lethe
