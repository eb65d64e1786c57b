// A small line chart in SVG: named lines over named positions on the x axis. Written by hand,
// because no Debian library draws charts without a window system or Python.
#pragma once

#include <string>
#include <vector>

namespace lethe {

struct ChartLine {
  std::string name;
  std::vector<double> values;      // one per position; NaN = no point
  std::vector<double> deviations;  // half length of the error bars; empty = none
};

struct LineChart {
  std::string title;
  std::string x_name, y_name;
  std::vector<std::string> places;  // names of the positions on the x axis
  std::vector<ChartLine> lines;
  double y_min = 0, y_max = 100;
};

std::string to_svg(const LineChart& chart);

}  // namespace lethe
