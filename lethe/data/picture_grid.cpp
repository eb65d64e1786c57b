#include "lethe/data/picture_grid.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "lethe/core/error.h"
#include "lethe/data/resample.h"

namespace lethe {

namespace {

constexpr int kMargin = 16;
constexpr int kGap = 6;
constexpr int kNameWidth = 176;
constexpr int kTitleHeight = 34;
constexpr int kLineHeight = 17;
constexpr double kTitleScale = 0.55;
constexpr int kPaper = 250;
constexpr int kInk = 45;

// Scales to about the requested size. Small images are enlarged by repeating pixels, so that the
// pixels stay visible.
at::Tensor to_cell(const at::Tensor& image, int64_t side) {
  const int64_t factor = side / std::max(image.size(1), image.size(2));
  if (factor >= 1) return image.repeat_interleave(factor, 1).repeat_interleave(factor, 2);
  const double scale =
      static_cast<double>(side) / static_cast<double>(std::max(image.size(1), image.size(2)));
  const auto scaled = [&](int64_t length) {
    return std::max<int64_t>(1, std::lround(scale * static_cast<double>(length)));
  };
  return resample(image, scaled(image.size(1)), scaled(image.size(2)));
}

int text_width(const std::string& text, double scale) {
  int below = 0;
  return cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, scale, 1, &below).width;
}

void write_text(cv::Mat& sheet, const std::string& text, int x, int y, double scale) {
  cv::putText(sheet, text, {x, y}, cv::FONT_HERSHEY_SIMPLEX, scale, cv::Scalar::all(kInk), 1,
              cv::LINE_AA);
}

// Splits a name into at most three lines that fit, after a space, '_', '.', '-' or '/' if possible.
std::vector<std::string> lines_of(std::string name, double scale) {
  constexpr size_t kLines = 3;
  std::vector<std::string> lines;
  while (!name.empty() && lines.size() < kLines) {
    size_t fits = name.size();
    while (fits > 1 && text_width(name.substr(0, fits), scale) > kNameWidth) --fits;
    if (fits < name.size()) {
      const auto cut = name.find_last_of(" _.-/", fits - 1);
      if (cut != std::string::npos && cut > 0) fits = cut + 1;
    }
    lines.push_back(name.substr(0, fits));
    name.erase(0, fits);
  }
  if (!name.empty()) lines.back() += "...";
  return lines;
}

void write_name(cv::Mat& sheet, const std::string& name, int top, int height) {
  constexpr double kScale = 0.45;
  const auto lines = lines_of(name, kScale);
  int y = top + (height - static_cast<int>(lines.size()) * kLineHeight) / 2 + 12;
  for (const auto& line : lines) {
    write_text(sheet, line, kMargin, y, kScale);
    y += kLineHeight;
  }
}

void paste(cv::Mat& sheet, const at::Tensor& cell, int top, int left) {
  const auto pixels = cell.permute({1, 2, 0}).contiguous();
  const cv::Mat image(static_cast<int>(cell.size(1)), static_cast<int>(cell.size(2)), CV_8UC3,
                      pixels.data_ptr<uint8_t>());
  image.copyTo(sheet(cv::Rect(left, top, image.cols, image.rows)));
}

constexpr int kKeyWidth = 178;
constexpr int kKeyHeight = 20;
constexpr int kSwatch = 12;

int keys_across(int width) { return std::max(1, (width - 2 * kMargin) / kKeyWidth); }

int legend_height(const PictureGrid& grid, int width) {
  if (grid.legend.empty()) return 0;
  const int keys = static_cast<int>(grid.legend.size());
  return kGap + kKeyHeight * ((keys + keys_across(width) - 1) / keys_across(width));
}

void write_legend(cv::Mat& sheet, const PictureGrid& grid, int top) {
  for (size_t i = 0; i < grid.legend.size(); ++i) {
    const auto& [name, colour] = grid.legend[i];
    const int place = static_cast<int>(i);
    const int x = kMargin + place % keys_across(sheet.cols) * kKeyWidth;
    const int y = top + kGap + place / keys_across(sheet.cols) * kKeyHeight;
    const cv::Rect swatch(x, y, kSwatch, kSwatch);
    cv::rectangle(sheet, swatch, cv::Scalar(colour[0], colour[1], colour[2]), cv::FILLED);
    cv::rectangle(sheet, swatch, cv::Scalar::all(kInk), 1);
    write_text(sheet, name, x + kSwatch + kGap, y + kSwatch - 1, 0.4);
  }
}

}  // namespace

at::Tensor draw(const PictureGrid& grid) {
  size_t columns = 0;
  for (const auto& row : grid.rows) columns = std::max(columns, row.pictures.size());
  if (columns == 0) throw_error<Error>("{}: no picture to show", grid.title);
  const auto first = std::find_if(grid.rows.begin(), grid.rows.end(),
                                  [](const auto& row) { return !row.pictures.empty(); });
  const auto cell = to_cell(first->pictures.front(), grid.side);
  const int cell_height = static_cast<int>(cell.size(1)) + kGap;
  const int cell_width = static_cast<int>(cell.size(2)) + kGap;
  const int left = kMargin + kNameWidth + kGap;
  const int top = kMargin + kTitleHeight + (grid.columns.empty() ? 0 : kLineHeight);
  const int width = std::max(left + static_cast<int>(columns) * cell_width + kMargin - kGap,
                             text_width(grid.title, kTitleScale) + 2 * kMargin);
  const int rows_end = top + static_cast<int>(grid.rows.size()) * cell_height;
  cv::Mat sheet(rows_end + legend_height(grid, width) + kMargin - kGap, width, CV_8UC3,
                cv::Scalar::all(kPaper));

  write_text(sheet, grid.title, kMargin, kMargin + 14, kTitleScale);
  for (size_t i = 0; i < grid.columns.size(); ++i)
    write_text(sheet, grid.columns[i], left + static_cast<int>(i) * cell_width, top - kGap, 0.45);
  int y = top;
  for (const auto& row : grid.rows) {
    write_name(sheet, row.name, y, cell_height - kGap);
    int x = left;
    for (const auto& picture : row.pictures) {
      paste(sheet, to_cell(picture, grid.side), y, x);
      x += cell_width;
    }
    y += cell_height;
  }
  write_legend(sheet, grid, rows_end);
  const auto pixels = at::from_blob(sheet.data, {sheet.rows, sheet.cols, 3}, at::kByte);
  return pixels.permute({2, 0, 1}).contiguous();
}

}  // namespace lethe
