// Small pieces of HTML: escaped text, tables, and the frame of a page that opens from disk without
// a network.
#pragma once

#include <string>
#include <vector>

namespace lethe {

// &, <, >, " and ' become entities.
std::string html_escaped(const std::string& text);

// All cells are text. The first column is left-aligned. row_classes: CSS class of each row, or
// empty.
std::string html_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows,
                       const std::vector<std::string>& row_classes = {});

// A complete page with its style sheet, for light and dark displays, phones and paper. body: HTML.
std::string html_page(const std::string& title, const std::string& body);

}  // namespace lethe
