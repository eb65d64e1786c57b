// Tables for people: Markdown, columns padded so that they also read well in a terminal.
#pragma once

#include <string>
#include <vector>

namespace lethe {

// First column left-aligned, the others right-aligned. Every row has as many cells as the header.
// "|" and line breaks in a cell are escaped.
std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows);

// 0.8765 -> "87.7"
std::string percent(double fraction);

}  // namespace lethe
