// Mean and spread over seeds, and the plain tables of a suite.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/suite/suite.h"

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

// One run over its seeds.
struct TableRow {
  std::string label;
  std::vector<int64_t> seeds;
  Statistic a, f, s;                 // after the last task
  Statistic mean_a, mean_f, mean_s;  // averages over tasks
  Statistic newest;                  // accuracy of kept classes of the task learned last
  // Masks: share of forgotten pixels that are background, and the figures of their features.
  Statistic background, distance, probe;
};

// The rows of a data set, in the order of labels; those without a record are left out.
std::vector<TableRow> table_rows(const SuiteResults& results, const std::string& data);
// The same with those left in, their values without a count: what a trend is judged by.
std::vector<TableRow> all_rows(const SuiteResults& results, const std::string& data);

// What of the setting (data, stream, training, evaluation) differs between records of one data set,
// a sentence for each key: such rows are no comparison. Empty if nothing does. varied: keys in
// which the suite lets its rows differ.
std::string mixed_settings(const std::vector<SuiteRecord>& records,
                           const std::set<std::string>& varied);

// A, F, S of every run (on masks also the figures of the features), a section per data set where
// there are several.
SuiteDocument plain_layout(const SuiteResults& results);

// One line per record.
std::string records_csv(const SuiteResults& results);
// Mean and deviation of every row, with its seeds.
std::string rows_json(const SuiteResults& results);

}  // namespace lethe
