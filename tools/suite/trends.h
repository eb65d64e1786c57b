// Whether a table reproduces what the paper says: differences of means against the spread of those
// differences over seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/suite/suite_table.h"

namespace lethe {

using TableRows = std::vector<TableRow>;
using TableValue = Statistic TableRow::*;

// "value x > value y", by a margin or at all.
struct Comparison {
  std::string text;
  bool known = false;
  double beyond = 0;     // the difference less the margin
  double spread = 0;     // of the difference, over the seeds
  double least = 0.01;   // a smaller difference decides nothing
  int64_t seeds = 0;     // the smaller number of both rows
  bool in_suite = true;  // false: the suite has no run for one of the rows
};

// name: of the value, "S". Without one of the rows, the comparison is not known.
Comparison compare(const TableRows& rows, const char* name, TableValue value,
                   const std::string& larger, const std::string& smaller, double margin = 0);

// Whether the row has the largest value: it is compared with the best of the others.
Comparison compare_best(const TableRows& rows, const char* name, TableValue value,
                        const std::string& label);

// "holds", "does not hold", "undecided" (a difference is below one point or within the spread of
// the seeds), or "open" if one is not known.
std::string verdict(const std::vector<Comparison>& all);

// The verdict on all comparisons that the suite can make, with a note if it comes from one seed:
// then no spread is known. The verdict is empty if it can make none.
Trend trend(const std::string& what, const std::vector<Comparison>& all);

// A list, one line for each.
std::string trends_text(const std::vector<Trend>& trends);

// The label of the largest (or smallest) value of all rows except `but`. If it does not beat `but`
// and a row has no value yet, the label of that row, since it could. "" without rows.
std::string extreme(const TableRows& rows, TableValue value, bool largest, const std::string& but);

// All methods learn the classes of the last task about equally well.
Trend newest_trend(const TableRows& rows);

}  // namespace lethe
