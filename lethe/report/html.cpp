#include "lethe/report/html.h"

#include <fmt/format.h>

namespace lethe {

namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5f6670; --line: #d5d9de; --page: #ffffff;
  --pass: #1a7f37; --fail: #b3261e; --open: #8a6100; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #a4abb5; --line: #3a3f46;
  --page: #16181b; --pass: #56c271; --fail: #ff8a80; --open: #e0b252; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 68rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; width: 100%; }
th, td { padding: 0.3rem 0.6rem; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th:first-child, td:first-child, td.text { text-align: left; }
th { color: var(--soft); font-weight: 600; }
.passed { color: var(--pass); } .failed { color: var(--fail); } .inconclusive { color: var(--open); }
tr.failed td:first-child, tr.passed td:first-child, tr.inconclusive td:first-child {
  border-left: 3px solid currentColor; }
.verdict { font-size: 1.3rem; font-weight: 600; }
.soft { color: var(--soft); }
code { font-size: 0.9em; overflow-wrap: anywhere; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg .axis { stroke: var(--line); } svg .margin { stroke: var(--fail); stroke-dasharray: 4 3; }
svg .passed { fill: var(--pass); stroke: var(--pass); }
svg .failed { fill: var(--fail); stroke: var(--fail); }
svg .inconclusive { fill: var(--open); stroke: var(--open); }
@media print { body { max-width: none; } }
)css";

}  // namespace

std::string html_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string html_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows,
                       const std::vector<std::string>& row_classes) {
  std::string text = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const auto& cell : header)
    text += fmt::format("<th scope=\"col\">{}</th>", html_escaped(cell));
  text += "</tr></thead>\n<tbody>\n";
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto own = i < row_classes.size() ? row_classes[i] : std::string();
    text += own.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", html_escaped(own));
    for (const auto& cell : rows[i]) text += fmt::format("<td>{}</td>", html_escaped(cell));
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string html_page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      html_escaped(title), kStyle, body);
}

}  // namespace lethe
