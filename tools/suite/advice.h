// Which method of a table to take for which aim.
#pragma once

#include <string>
#include <vector>

#include "tools/suite/trends.h"

namespace lethe {

struct Aim {
  const char* what;  // "forget and keep"
  TableValue value;  // the larger, the better
};

// A line per purpose: the row with the largest mean, and the rows that are not shown to be worse (a
// difference below one point or within the spread of the seeds). Purposes without values are left
// out. Empty with fewer than two rows.
std::string advice(const TableRows& rows, const std::vector<Aim>& aims);

}  // namespace lethe
