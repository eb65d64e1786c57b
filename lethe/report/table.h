// Markdown tables with padded columns, which are also readable in a terminal.
#pragma once

#include <string>
#include <vector>

namespace lethe {

// The first column is left-aligned, the others are right-aligned. Every row must have as many cells
// as the header. "|" and control characters in a cell are escaped.
std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows);

// 0.8765 -> "87.7"
std::string percent(double fraction);

// A difference in percentage points, with its sign: 0.0123 -> "+1.2", -0.0001 -> "+0.0"
std::string signed_points(double fraction);

}  // namespace lethe
