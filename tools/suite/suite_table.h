// Mean and spread over seeds, and the plain tables of a suite.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/suite/suite_results.h"

namespace lethe {

struct Statistic {
  double mean = 0;
  double deviation = 0;  // of the sample; 0 for one value
  int64_t count = 0;
  std::vector<double> values = {};
};
Statistic statistic(const std::vector<double>& values);

// "87.3", or "87.3 +- 0.8" of several values, "-" of none; of fractions, in percent.
std::string percent(const Statistic& value);
// "1.23", or "1.23 +- 0.04", "-" of none.
std::string in_units(const Statistic& value);

// Quick figures of features (lethe/metrics/feature_figures.h).
struct FeatureColumns {
  Statistic distance, probe_before, probe, shots_before, shots;
};

// One run over its seeds.
struct TableRow {
  std::string label;
  std::vector<int64_t> seeds;
  Statistic a, f, s;                 // after the last task
  Statistic a_all;                   // classification: A over all classes seen, after the last task
  Statistic mean_a, mean_f, mean_s;  // averages over tasks
  Statistic newest;                  // accuracy of kept classes of the task learned last
  Statistic most_left;               // highest accuracy of a forgotten class
  // Masks: by IoU instead of recall; fractions of forgotten pixels predicted as background and as
  // kept classes.
  Statistic a_iou, f_iou, background, to_kept;
  FeatureColumns forgotten_features, kept_features;  // of forgotten and of kept classes
};

// The rows of a dataset, in the order of labels, without those that have no record.
std::vector<TableRow> table_rows(const SuiteResults& results, const std::string& data);
// The same with rows that have no record, their counts 0: trends are judged from these.
std::vector<TableRow> all_rows(const SuiteResults& results, const std::string& data);

// Whether any row has "A all": it is measured in classification only.
bool has_accuracy_over_all(const std::vector<TableRow>& rows);

// Masks: the figures by IoU, and where forgotten pixels went: the columns, and what they mean.
bool has_mask_figures(const std::vector<TableRow>& rows);
std::vector<std::string> mask_header();
std::vector<std::string> mask_cells(const TableRow& row);
extern const char* const kMaskLegend;

// The figures of the features, before and after: the columns of a table, and what they mean. No
// column if no row has figures.
std::vector<std::string> feature_header(const std::vector<TableRow>& rows);
std::vector<std::string> feature_cells(const TableRow& row);
extern const char* const kFeatureLegend;

// The settings (data, stream, training, evaluation) in which records of one dataset differ, a
// sentence for each key: such rows cannot be compared. Empty if there are none. varied: keys in
// which the suite lets its rows differ.
std::string mixed_settings(const std::vector<SuiteRecord>& records,
                           const std::set<std::string>& varied);

// A, F, S of every run, on masks also the figures of the features, and published values if there
// are any. A section per dataset if there are several.
SuiteDocument plain_layout(const SuiteResults& results);

// One line per record.
std::string records_csv(const SuiteResults& results);
// Mean and deviation of every row, with its seeds.
std::string rows_json(const SuiteResults& results);

}  // namespace lethe
