// Whether a table shows what the paper says: differences of means against the spread of those
// differences over seeds.
#pragma once

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
  double beyond = 0;  // the difference less the margin
  double spread = 0;
};

// name: of the value, "S". A row that is not there gives a comparison that is not known.
Comparison compare(const TableRows& rows, const char* name, TableValue value,
                   const std::string& larger, const std::string& smaller, double margin = 0);

// The row has the largest value of all: it against the best of the others.
Comparison compare_best(const TableRows& rows, const char* name, TableValue value,
                        const std::string& label);

// "holds", "does not hold", "undecided (...)", or "open" if one is not known.
std::string verdict(const std::vector<Comparison>& all);

// A line of a list: what, the verdict on all comparisons, and the comparisons.
std::string trend_line(const std::string& what, const std::vector<Comparison>& all);

// The row with the largest (or smallest) value beside one that is left out; if that one is not
// beaten and there is a row without a value, that row, since nobody knows; "" without rows.
std::string extreme(const TableRows& rows, TableValue value, bool largest, const std::string& but);

// All methods learn the classes of the last task about equally well: a line of a list.
std::string newest_line(const TableRows& rows);

}  // namespace lethe
