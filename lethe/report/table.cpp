#include "lethe/report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/text.h"

namespace lethe {

namespace {

// A cell must not end its column or its line.
std::string escaped(const std::string& cell) {
  std::string text;
  for (const char c : visible(cell)) {
    if (c == '|') text += '\\';
    text += c;
  }
  return text;
}

// Characters of a UTF-8 text: all bytes but those that continue one.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> lines = {header};
  for (const auto& row : rows) {
    if (row.size() != header.size())
      throw_error<Error>("table row has {} cells, expected {}", row.size(), header.size());
    lines.push_back(row);
  }
  std::vector<size_t> widths(header.size());
  for (auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      line[i] = escaped(line[i]);
      widths[i] = std::max(widths[i], width_of(line[i]));
    }
  }
  std::string text;
  for (const auto& line : lines) {
    text += '|';
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - width_of(line[i]), ' ');
      text += ' ' + (i == 0 ? line[i] + padding : padding + line[i]) + " |";
    }
    text += '\n';
    if (&line != &lines.front()) continue;
    text += '|';
    for (size_t i = 0; i < line.size(); ++i)
      text += std::string(widths[i] + 1, '-') + (i == 0 ? "-|" : ":|");
    text += '\n';
  }
  return text;
}

std::string percent(double fraction) { return fmt::format("{:.1f}", 100 * fraction); }

std::string signed_points(double fraction) {
  const auto text = fmt::format("{:+.1f}", 100 * fraction);
  return text == "-0.0" ? "+0.0" : text;
}

}  // namespace lethe
