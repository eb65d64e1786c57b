#include "lethe/data/contact_sheet.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/data/mask_colours.h"
#include "lethe/data/resample.h"

namespace lethe {

namespace {

constexpr int kMargin = 16;
constexpr int kGap = 6;
constexpr int kNameWidth = 176;
constexpr int kTitleHeight = 34;
constexpr int kLineHeight = 17;
constexpr int kPaper = 250;
constexpr int kInk = 45;

using Rows = std::vector<std::pair<int64_t, std::vector<int64_t>>>;  // a label and its samples

// The classes that are shown, spread evenly over all that have an image.
Rows choose_rows(const Dataset& dataset, const ContactSheetOptions& options) {
  std::map<int64_t, std::vector<int64_t>> by_class;
  for (int64_t i = 0; i < dataset.size(); ++i) {
    for (const auto label : dataset.labels_of(i)) {
      auto& samples = by_class[label];
      if (static_cast<int64_t>(samples.size()) < options.columns) samples.push_back(i);
    }
  }
  const Rows all(by_class.begin(), by_class.end());
  const auto count = static_cast<int64_t>(all.size());
  if (count <= options.max_rows) return all;
  Rows rows;
  for (int64_t i = 0; i < options.max_rows; ++i) {
    rows.push_back(all[static_cast<size_t>(i * (count - 1) / (options.max_rows - 1))]);
  }
  return rows;
}

// Grey levels of a normalised image: uint8 [3, H, W].
at::Tensor to_levels(at::Tensor image, const DatasetInfo& info) {
  for (int64_t c = 0; c < info.channels; ++c) {
    const auto place = static_cast<size_t>(c);
    image[c].mul_(255 * info.std[place]).add_(255 * info.mean[place]);
  }
  return image.round()
      .clamp(0, 255)
      .to(at::kByte)
      .expand({3, info.height, info.width})
      .contiguous();
}

// What the network sees of a sample, with its mask laid over: uint8 [3, H, W].
at::Tensor shown(const Dataset& dataset, int64_t number, const Transform& transform,
                 uint64_t seed) {
  const auto& info = dataset.info();
  const auto sample = dataset.get(number);
  auto image = at::empty({info.channels, info.height, info.width});
  auto mask = at::zeros({info.height, info.width}, at::kLong);  // of an image without one
  Random random(seed, Purpose::kAugment, 0, static_cast<uint32_t>(number));
  transform.apply(sample, &random, image.data_ptr<float>(), mask.data_ptr<int64_t>());
  const auto levels = to_levels(image, info);
  return sample.mask.defined() ? overlay_labels(levels, mask) : levels;
}

// About as large as asked for: pixels of small images are repeated, so that they stay visible.
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

// A name cut into lines that fit, after a space, '_' or '.' where there is one; three at most.
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

}  // namespace

at::Tensor contact_sheet(const Dataset& dataset, const Augmentation& augmentation,
                         const ContactSheetOptions& options) {
  const auto rows = choose_rows(dataset, options);
  const auto& info = dataset.info();
  if (rows.empty()) throw_error<Error>("{}: no image to show", info.name);
  const Transform transform(info, augmentation);
  const auto blank = at::zeros({3, info.height, info.width}, at::kByte);
  const auto cell = to_cell(blank, options.side);
  const int cell_height = static_cast<int>(cell.size(1)) + kGap;
  const int cell_width = static_cast<int>(cell.size(2)) + kGap;
  const int left = kMargin + kNameWidth + kGap;
  const int top = kMargin + kTitleHeight;
  cv::Mat sheet(top + static_cast<int>(rows.size()) * cell_height + kMargin - kGap,
                left + static_cast<int>(options.columns) * cell_width + kMargin - kGap, CV_8UC3,
                cv::Scalar::all(kPaper));

  const auto classes = info.class_names.size() - (info.kind == TaskKind::kSegmentation ? 1 : 0);
  const auto title = fmt::format("{}: {} of {} classes, training images as the network sees them",
                                 info.name, rows.size(), classes);
  write_text(sheet, title, kMargin, kMargin + 14, 0.55);
  int y = top;
  for (const auto& [label, samples] : rows) {
    write_name(sheet, info.class_names[static_cast<size_t>(label)], y, cell_height - kGap);
    int x = left;
    for (const auto sample : samples) {
      paste(sheet, to_cell(shown(dataset, sample, transform, options.seed), options.side), y, x);
      x += cell_width;
    }
    y += cell_height;
  }
  const auto pixels = at::from_blob(sheet.data, {sheet.rows, sheet.cols, 3}, at::kByte);
  return pixels.permute({2, 0, 1}).contiguous();
}

}  // namespace lethe
