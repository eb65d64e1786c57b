#include "lethe/report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "lethe/core/error.h"

namespace lethe {

std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& cell : header) widths.push_back(cell.size());
  for (const auto& row : rows) {
    if (row.size() != header.size())
      throw_error<Error>("table row has {} cells, expected {}", row.size(), header.size());
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (size_t i = 0; i < cells.size(); ++i) {
      text += i == 0 ? fmt::format(" {:<{}} |", cells[i], widths[i])
                     : fmt::format(" {:>{}} |", cells[i], widths[i]);
    }
    return text + '\n';
  };
  std::string text = line(header);
  text += '|';
  for (size_t i = 0; i < header.size(); ++i) {
    text += i == 0 ? std::string(widths[i] + 2, '-') : std::string(widths[i] + 1, '-') + ':';
    text += '|';
  }
  text += '\n';
  for (const auto& row : rows) text += line(row);
  return text;
}

std::string percent(double fraction) { return fmt::format("{:.1f}", 100 * fraction); }

}  // namespace lethe
