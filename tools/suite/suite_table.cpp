#include "tools/suite/suite_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
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

namespace {

// Collects a column over the seeds of a row: the values of the records that have one.
class Column {
 public:
  void add(double value) { values_.push_back(value); }
  void add(const std::optional<double>& value) {
    if (value) add(*value);
  }
  Statistic statistic() const { return lethe::statistic(values_); }

 private:
  std::vector<double> values_;
};

FeatureColumns feature_columns(const std::vector<const SuiteRecord*>& records,
                               std::optional<ClassFeatures> RunOutcome::*which) {
  Column distance, probe_before, probe, shots_before, shots;
  for (const auto* record : records) {
    const auto& own = record->outcome.*which;
    if (!own) continue;
    distance.add(own->distance);
    probe_before.add(own->probe_before);
    probe.add(own->probe);
    shots_before.add(own->shots_before);
    shots.add(own->shots);
  }
  return {.distance = distance.statistic(),
          .probe_before = probe_before.statistic(),
          .probe = probe.statistic(),
          .shots_before = shots_before.statistic(),
          .shots = shots.statistic()};
}

// The columns of scores.
void add_scores(TableRow& row, const std::vector<const SuiteRecord*>& records) {
  Column a, f, s, a_all, mean_a, mean_f, mean_s, newest, a_iou, f_iou, background, to_kept;
  Column most_left;
  for (const auto* record : records) {
    const auto& outcome = record->outcome;
    row.seeds.push_back(record->seed);
    a.add(outcome.last.a);
    if (outcome.last.has_f) {
      f.add(outcome.last.f);
      s.add(outcome.last.s);
    }
    a_all.add(outcome.last.a_all);
    mean_a.add(outcome.mean.a);
    if (outcome.mean.has_f) {
      mean_f.add(outcome.mean.f);
      mean_s.add(outcome.mean.s);
    }
    if (outcome.by_iou) {
      a_iou.add(outcome.by_iou->a);
      if (outcome.by_iou->has_f) f_iou.add(outcome.by_iou->f);
    }
    if (outcome.predicted_as) {
      background.add(outcome.predicted_as->background);
      to_kept.add(outcome.predicted_as->kept);
    }
    most_left.add(outcome.most_left);
    if (!outcome.matrix.empty()) newest.add(outcome.matrix.back().cell.kept.accuracy);
  }
  row.a = a.statistic();
  row.f = f.statistic();
  row.s = s.statistic();
  row.a_all = a_all.statistic();
  row.mean_a = mean_a.statistic();
  row.mean_f = mean_f.statistic();
  row.mean_s = mean_s.statistic();
  row.newest = newest.statistic();
  row.most_left = most_left.statistic();
  row.a_iou = a_iou.statistic();
  row.f_iou = f_iou.statistic();
  row.background = background.statistic();
  row.to_kept = to_kept.statistic();
}

}  // namespace

std::vector<TableRow> all_rows(const SuiteResults& results, const std::string& data) {
  std::vector<TableRow> rows;
  for (const auto& label : results.labels) {
    TableRow row{.label = label, .seeds = {}};
    std::vector<const SuiteRecord*> own;
    for (const auto& record : results.records) {
      if (record.label == label && record.data == data) own.push_back(&record);
    }
    add_scores(row, own);
    row.forgotten_features = feature_columns(own, &RunOutcome::features);
    row.kept_features = feature_columns(own, &RunOutcome::kept_features);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<TableRow> table_rows(const SuiteResults& results, const std::string& data) {
  auto rows = all_rows(results, data);
  std::erase_if(rows, [](const TableRow& row) { return row.a.count == 0; });
  return rows;
}

bool has_mask_figures(const std::vector<TableRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const TableRow& row) { return row.a_iou.count > 0; });
}

std::vector<std::string> mask_header() { return {"A IoU", "F IoU", "to background", "to kept"}; }

std::vector<std::string> mask_cells(const TableRow& row) {
  return {percent(row.a_iou), percent(row.f_iou), percent(row.background), percent(row.to_kept)};
}

const char* const kMaskLegend =
    "A, F, S: by recall, as in the paper; IoU: the same by intersection over union, which counts "
    "false positives. To background, to kept: where pixels of forgotten classes went.";

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

std::string from_to(const Statistic& before, const Statistic& now) {
  return now.count == 0 ? "-" : fmt::format("{} -> {}", percent(before.mean), percent(now.mean));
}

}  // namespace

const char* const kFeatureLegend =
    "Probe: balanced accuracy of a linear classifier of each class on the features, before the "
    "request -> at the end; 5-shot: the class is found from five images of each class. Both are "
    "quick figures without a reference: a network that never saw the class has some of both. Of "
    "kept classes they should not fall.\n";

std::vector<std::string> feature_header(const std::vector<TableRow>& rows) {
  const bool has_any = std::any_of(rows.begin(), rows.end(), [](const TableRow& row) {
    return row.forgotten_features.probe.count > 0;
  });
  if (!has_any) return {};
  return {"probe forgotten", "5-shot forgotten", "probe kept", "5-shot kept"};
}

std::vector<std::string> feature_cells(const TableRow& row) {
  const auto& gone = row.forgotten_features;
  const auto& kept = row.kept_features;
  return {from_to(gone.probe_before, gone.probe), from_to(gone.shots_before, gone.shots),
          from_to(kept.probe_before, kept.probe), from_to(kept.shots_before, kept.shots)};
}

namespace {

std::string largest(const Statistic& value) {
  return value.count == 0 ? "-"
                          : percent(*std::max_element(value.values.begin(), value.values.end()));
}

// A, F, S of every row, the columns that its records have beside them (classification: A over all
// classes seen; figures of the features), and the paper's values.
std::string plain_table(const std::vector<TableRow>& rows, const std::vector<std::string>& features,
                        const PaperValues& paper, const std::string& data) {
  const bool has_all = has_accuracy_over_all(rows);
  const bool has_left = std::any_of(rows.begin(), rows.end(),
                                    [](const TableRow& row) { return row.most_left.count > 0; });
  std::vector<std::string> header = {"method", "A", "F", "S"};
  if (has_left) header.emplace_back("left");
  if (has_all) header.emplace_back("A all");
  const bool has_masks = has_mask_figures(rows);
  const auto masks = has_masks ? mask_header() : std::vector<std::string>{};
  header.insert(header.end(), masks.begin(), masks.end());
  header.insert(header.end(), features.begin(), features.end());
  if (!paper.empty()) header.insert(header.end(), {"paper A", "paper F", "paper S"});
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows) {
    cells.push_back({row.label, percent(row.a), percent(row.f), percent(row.s)});
    auto& line = cells.back();
    if (has_left) line.push_back(largest(row.most_left));
    if (has_all) line.push_back(percent(row.a_all));
    if (has_masks) {
      for (auto& cell : mask_cells(row)) line.push_back(std::move(cell));
    }
    if (!features.empty()) {
      for (auto& cell : feature_cells(row)) line.push_back(std::move(cell));
    }
    if (paper.empty()) continue;
    for (auto& cell : paper.cells(data, row.label)) line.push_back(std::move(cell));
  }
  return markdown_table(header, cells);
}

}  // namespace

SuiteDocument plain_layout(const SuiteResults& results) {
  SuiteDocument document;
  bool explain = false, has_left = false, has_masks = false;
  for (const auto& data : results.data) {
    if (results.data.size() > 1)
      document.body += fmt::format("{}## {}\n\n", document.body.empty() ? "" : "\n", data);
    const auto rows = table_rows(results, data);
    const auto features = results.with_features ? feature_header(rows) : std::vector<std::string>{};
    document.body += plain_table(rows, features, results.paper, data);
    explain = explain || !features.empty();
    has_masks = has_masks || has_mask_figures(rows);
    has_left = has_left || std::any_of(rows.begin(), rows.end(),
                                       [](const TableRow& row) { return row.most_left.count > 0; });
  }
  // A suite without records prints only its table: log lines explain it.
  if (has_left && results.with_features)
    document.body += "\nLeft: the highest accuracy of a forgotten class, over all seeds.\n";
  if (has_masks) document.body += fmt::format("\n{}\n", kMaskLegend);
  if (explain) document.body += std::string("\n") + kFeatureLegend;
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
