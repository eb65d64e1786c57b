#include "lethe/report/line_chart.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace lethe {

namespace {

constexpr double kWidth = 640, kHeight = 400;
constexpr double kLeft = 60, kRight = 120, kTop = 44, kBottom = 56;
// Safe for colour-blind readers (Okabe and Ito). Lines also differ in their marks.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text,
                    const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, escaped(text));
}

std::string mark_at(double x, double y, size_t line, const char* colour) {
  switch (line % 3) {
    case 0:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x, y,
                         colour);
    case 1:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" fill=\"{}\"/>\n",
                         x - 4, y - 4, colour);
    default:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l5 9h-10z\" fill=\"{}\"/>\n", x, y - 5, colour);
  }
}

}  // namespace

std::string to_svg(const LineChart& chart) {
  const double width = kWidth - kLeft - kRight;
  const double height = kHeight - kTop - kBottom;
  const auto places = static_cast<double>(chart.places.size());
  const auto x_of = [&](size_t i) {
    return kLeft + width * (static_cast<double>(i) + 0.5) / std::max(1.0, places);
  };
  const auto y_of = [&](double value) {
    return kTop + height * (1 - (value - chart.y_min) / (chart.y_max - chart.y_min));
  };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  svg += text_at(kLeft, 24, "start", chart.title, " font-size=\"15\" font-weight=\"bold\"");
  constexpr int kSteps = 5;
  for (int i = 0; i <= kSteps; ++i) {
    const double value = chart.y_min + (chart.y_max - chart.y_min) * i / kSteps;
    svg += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", kLeft,
        kLeft + width, y_of(value), y_of(value));
    svg += text_at(kLeft - 8, y_of(value) + 4, "end", fmt::format("{:g}", value));
  }
  for (size_t i = 0; i < chart.places.size(); ++i)
    svg += text_at(x_of(i), kTop + height + 20, "middle", chart.places[i]);
  svg += text_at(kLeft + width / 2, kHeight - 12, "middle", chart.x_name);
  svg += text_at(
      0, 0, "middle", chart.y_name,
      fmt::format(" transform=\"translate(16 {:.1f}) rotate(-90)\"", kTop + height / 2).c_str());

  for (size_t i = 0; i < chart.lines.size(); ++i) {
    const auto& line = chart.lines[i];
    const char* colour = kColours[i % kColours.size()];
    std::string points;
    std::string marks;
    for (size_t k = 0; k < line.values.size() && k < chart.places.size(); ++k) {
      if (std::isnan(line.values[k])) continue;
      const double x = x_of(k);
      const double y = y_of(line.values[k]);
      points += fmt::format("{}{:.1f} {:.1f}", points.empty() ? "M" : "L", x, y);
      if (k < line.deviations.size() && line.deviations[k] > 0)
        marks += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>\n",
            x, y_of(std::max(chart.y_min, line.values[k] - line.deviations[k])),
            y_of(std::min(chart.y_max, line.values[k] + line.deviations[k])), colour);
      marks += mark_at(x, y, i, colour);
    }
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n{}",
                       points, colour, marks);
    const double y = kTop + 12 + 22 * static_cast<double>(i);
    svg += mark_at(kLeft + width + 20, y, i, colour);
    svg += text_at(kLeft + width + 32, y + 4, "start", line.name);
  }
  return svg + "</svg>\n";
}

}  // namespace lethe
