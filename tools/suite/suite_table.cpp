#include "tools/suite/suite_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "lethe/report/table.h"

namespace lethe {

using nlohmann::ordered_json;

Statistic statistic(const std::vector<double>& values) {
  Statistic result;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / count;
  if (values.size() > 1) {
    double sum = 0;
    for (const double value : values) sum += (value - result.mean) * (value - result.mean);
    result.deviation = std::sqrt(sum / (count - 1));
  }
  result.count = static_cast<int64_t>(values.size());
  result.values = values;
  return result;
}

std::string in_units(const Statistic& value) {
  if (value.count == 0) return "-";
  return value.count == 1 ? fmt::format("{:.2f}", value.mean)
                          : fmt::format("{:.2f} +- {:.2f}", value.mean, value.deviation);
}

std::string percent(const Statistic& value) {
  if (value.count == 0) return "-";
  if (value.count == 1) return percent(value.mean);
  return fmt::format("{} +- {}", percent(value.mean), percent(value.deviation));
}

std::vector<TableRow> all_rows(const SuiteResults& results, const std::string& data) {
  std::vector<TableRow> rows;
  for (const auto& label : results.labels) {
    TableRow row{.label = label, .seeds = {}};
    std::vector<double> a, f, s, mean_a, mean_f, mean_s, a_all, newest, background, distance, probe;
    for (const auto& record : results.records) {
      if (record.label != label || record.data != data) continue;
      const auto& outcome = record.outcome;
      row.seeds.push_back(record.seed);
      a.push_back(outcome.last.a);
      if (outcome.last.has_f) {
        f.push_back(outcome.last.f);
        s.push_back(outcome.last.s);
      }
      if (outcome.last.a_all) a_all.push_back(*outcome.last.a_all);
      mean_a.push_back(outcome.mean.a);
      if (outcome.mean.has_f) {
        mean_f.push_back(outcome.mean.f);
        mean_s.push_back(outcome.mean.s);
      }
      if (outcome.predicted_as) background.push_back(outcome.predicted_as->background);
      if (outcome.features) {
        distance.push_back(outcome.features->distance);
        probe.push_back(outcome.features->probe);
      }
      if (!outcome.matrix.empty()) newest.push_back(outcome.matrix.back().cell.kept.accuracy);
    }
    row.a = statistic(a);
    row.f = statistic(f);
    row.s = statistic(s);
    row.a_all = statistic(a_all);
    row.mean_a = statistic(mean_a);
    row.mean_f = statistic(mean_f);
    row.mean_s = statistic(mean_s);
    row.newest = statistic(newest);
    row.background = statistic(background);
    row.distance = statistic(distance);
    row.probe = statistic(probe);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<TableRow> table_rows(const SuiteResults& results, const std::string& data) {
  auto rows = all_rows(results, data);
  std::erase_if(rows, [](const TableRow& row) { return row.a.count == 0; });
  return rows;
}

bool has_accuracy_over_all(const std::vector<TableRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const TableRow& row) { return row.a_all.count > 0; });
}

namespace {

// Keys in which the rows of any table may differ: those of the method, those that follow from other
// keys, and the seed.
bool is_of_the_row(const std::string& key) {
  return key.starts_with("method.") || key.starts_with("model.") || key == "train.lr_next" ||
         key == "train.seed";
}

}  // namespace

std::string mixed_settings(const std::vector<SuiteRecord>& records,
                           const std::set<std::string>& varied) {
  // By dataset and key: the values, and the labels that have them.
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::set<std::string>>> seen;
  for (const auto& record : records) {
    for (const auto& [key, value] : record.identity.config) {
      if (!is_of_the_row(key) && varied.count(key) == 0)
        seen[{record.data, key}][value].insert(record.label);
    }
  }
  std::string text;
  for (const auto& [where, values] : seen) {
    if (values.size() < 2) continue;
    std::vector<std::string> parts;
    for (const auto& [value, labels] : values)
      parts.push_back(fmt::format("{} in {}", value, fmt::join(labels, ", ")));
    text += fmt::format("{}{}{} is {}. ", where.first, where.first.empty() ? "" : ": ",
                        where.second, fmt::join(parts, "; "));
  }
  return text;
}

namespace {

// A, F, S of every row, the columns that its records have beside them (classification: A over all
// classes seen; segmentation: figures of the features of forgotten classes), and the paper's
// values.
std::string plain_table(const std::vector<TableRow>& rows, const PaperValues& paper,
                        const std::string& data) {
  const bool has_figures = std::any_of(rows.begin(), rows.end(), [](const auto& row) {
    return row.background.count > 0 && row.probe.count > 0;
  });
  const bool has_all = has_accuracy_over_all(rows);
  std::vector<std::string> header = {"method", "A", "F", "S"};
  if (has_all) header.emplace_back("A all");
  if (has_figures) header.insert(header.end(), {"distance", "probe"});
  if (!paper.empty()) header.insert(header.end(), {"paper A", "paper F", "paper S"});
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows) {
    cells.push_back({row.label, percent(row.a), percent(row.f), percent(row.s)});
    if (has_all) cells.back().push_back(percent(row.a_all));
    if (has_figures)
      cells.back().insert(cells.back().end(), {in_units(row.distance), percent(row.probe)});
    if (paper.empty()) continue;
    for (auto& cell : paper.cells(data, row.label)) cells.back().push_back(std::move(cell));
  }
  return markdown_table(header, cells);
}

}  // namespace

SuiteDocument plain_layout(const SuiteResults& results) {
  SuiteDocument document;
  for (const auto& data : results.data) {
    if (results.data.size() > 1)
      document.body += fmt::format("{}## {}\n\n", document.body.empty() ? "" : "\n", data);
    document.body += plain_table(table_rows(results, data), results.paper, data);
  }
  document.files = {{".csv", records_csv(results)}, {".json", rows_json(results)}};
  return document;
}

namespace {

std::string csv_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string records_csv(const SuiteResults& results) {
  std::string text =
      "data,label,seed,A,F,S,A_all,mean_A,mean_F,mean_S,seconds,resumed,threads,commit,config_"
      "hash\n";
  for (const auto& data : results.data) {
    for (const auto& label : results.labels) {
      for (const auto& record : results.records) {
        if (record.label != label || record.data != data) continue;
        const auto& [last, mean] = std::tie(record.outcome.last, record.outcome.mean);
        text += fmt::format(
            "{},{},{},{:.6f},{:.6f},{:.6f},{},{:.6f},{:.6f},{:.6f},{:.0f},{},{},{},{}\n", data,
            csv_text(label), record.seed, last.a, last.f, last.s,
            last.a_all ? fmt::format("{:.6f}", *last.a_all) : "", mean.a, mean.f, mean.s,
            record.seconds, record.resumed ? 1 : 0, record.threads, record.commit,
            record.identity.config_hash().substr(0, 16));
      }
    }
  }
  return text;
}

std::string rows_json(const SuiteResults& results) {
  const auto value = [](const Statistic& statistic) {
    return ordered_json{{"mean", statistic.mean}, {"deviation", statistic.deviation}};
  };
  ordered_json all = {{"suite", results.suite}, {"profile", results.profile}};
  auto& rows = all["rows"] = ordered_json::array();
  for (const auto& data : results.data) {
    for (const auto& row : table_rows(results, data)) {
      rows.push_back({{"data", data},
                      {"label", row.label},
                      {"seeds", row.seeds},
                      {"A", value(row.a)},
                      {"F", value(row.f)},
                      {"S", value(row.s)},
                      {"mean_A", value(row.mean_a)},
                      {"mean_F", value(row.mean_f)},
                      {"mean_S", value(row.mean_s)}});
      if (row.a_all.count > 0) rows.back()["A_all"] = value(row.a_all);
    }
  }
  return all.dump(1) + '\n';
}

}  // namespace lethe
