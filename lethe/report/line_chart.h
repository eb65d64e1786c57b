// A small line chart as SVG: named lines over named places on the x axis. Hand-written, since no
// library of Debian draws one without a window system or Python.
#pragma once

#include <string>
#include <vector>

namespace lethe {

struct ChartLine {
  std::string name;
  std::vector<double> values;      // one per place; NaN: no point there
  std::vector<double> deviations;  // half length of the bar at each point; empty = none
};

struct LineChart {
  std::string title;
  std::string x_name, y_name;
  std::vector<std::string> places;
  std::vector<ChartLine> lines;
  double y_min = 0, y_max = 100;
};

std::string to_svg(const LineChart& chart);

}  // namespace lethe
