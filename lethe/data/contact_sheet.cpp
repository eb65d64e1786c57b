#include "lethe/data/contact_sheet.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/core/text.h"
#include "lethe/data/mask_colours.h"
#include "lethe/data/picture_grid.h"

namespace lethe {

at::Tensor to_levels(const at::Tensor& image, const DatasetInfo& info) {
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

namespace {

using Rows = std::vector<std::pair<int64_t, std::vector<int64_t>>>;  // a label and its samples

// The classes to show, spread evenly over all classes with images.
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
  const int64_t gaps = std::max<int64_t>(1, options.max_rows - 1);
  Rows rows;
  for (int64_t i = 0; i < options.max_rows; ++i) {
    // cppcheck-suppress containerOutOfBounds
    rows.push_back(all.at(static_cast<size_t>(i * (count - 1) / gaps)));
  }
  return rows;
}

// The network input of a sample, with its mask as an overlay: uint8 [3, H, W].
at::Tensor shown(const Dataset& dataset, int64_t number, const Transform& transform,
                 uint64_t seed) {
  const auto& info = dataset.info();
  const auto sample = dataset.get(number);
  auto image = at::empty({info.channels, info.height, info.width});
  auto mask = at::zeros({info.height, info.width}, at::kLong);  // zero without a mask
  Random random(seed, Purpose::kAugment, 0, static_cast<uint32_t>(number));
  transform.apply(sample, &random, image.data_ptr<float>(), mask.data_ptr<int64_t>());
  const auto levels = to_levels(image, info);
  return sample.mask.defined() ? overlay_labels(levels, mask) : levels;
}

}  // namespace

at::Tensor contact_sheet(const Dataset& dataset, const Augmentation& augmentation,
                         const ContactSheetOptions& options) {
  const auto rows = choose_rows(dataset, options);
  const auto& info = dataset.info();
  if (rows.empty()) throw_error<Error>("{}: no image to show", info.name);
  const Transform transform(info, augmentation);
  const auto classes = info.class_names.size() - (info.problem == Problem::kMasks ? 1 : 0);
  PictureGrid grid = {
      .title = fmt::format("{}: {} of {}, training images as the network sees them", info.name,
                           rows.size(), counted(static_cast<int64_t>(classes), "class", "classes")),
      .columns = {},
      .rows = {},
      .side = options.side};
  for (const auto& [label, samples] : rows) {
    auto& row = grid.rows.emplace_back();
    row.name = info.class_names[static_cast<size_t>(label)];
    for (const auto sample : samples)
      row.pictures.push_back(shown(dataset, sample, transform, options.seed));
  }
  return draw(grid);
}

}  // namespace lethe
