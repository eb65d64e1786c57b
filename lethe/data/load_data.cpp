#include "lethe/data/load_data.h"

#include <map>
#include <memory>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/short_list.h"
#include "lethe/core/system.h"
#include "lethe/data/hold_out.h"
#include "lethe/data/image_files.h"
#include "lethe/data/open_masks.h"
#include "lethe/data/prepared.h"
#include "lethe/data/resize.h"

namespace lethe {

namespace {

// The images that are among the first `count` of any of their classes.
DatasetPtr first_of_every_class(const DatasetPtr& dataset, int64_t count) {
  std::map<int64_t, int64_t> seen;  // number of images by class
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < dataset->size(); ++i) {
    bool is_among_first = false;
    for (const auto label : dataset->labels_of(i)) is_among_first |= seen[label]++ < count;
    if (is_among_first) kept.push_back(i);
  }
  return std::make_shared<Subset>(dataset, std::move(kept));
}

void hold_out_val(DataSplits& splits, double fraction) {
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < splits.train->size(); ++i) {
    const auto all = splits.train->labels_of(i);
    labels.push_back(all.empty() ? -1 : all.front());
  }
  auto parts = hold_out(labels, fraction, HeldOutFor::kTuning);
  splits.val = std::make_shared<Subset>(splits.train, std::move(parts.held));
  splits.train = std::make_shared<Subset>(splits.train, std::move(parts.kept));
}

bool has_side(const Dataset& dataset, int64_t side) {
  return dataset.info().height == side && dataset.info().width == side;
}

// Removes the images that cannot be decoded; the warning names the part (training or test).
void skip_undecodable(std::vector<ImageFile>& files, const char* part) {
  const auto bad = left_out(files, part);
  std::vector<ImageFile> good;
  auto next = bad.begin();
  for (size_t i = 0; i < files.size(); ++i) {
    const bool is_bad = next != bad.end() && *next == static_cast<int64_t>(i);
    if (is_bad) {
      ++next;
    } else {
      good.push_back(std::move(files[i]));
    }
  }
  files = std::move(good);
}

DataSplits open_images(const DataOptions& options, ImageLists lists) {
  if (options.undecodable == "skip") {
    skip_undecodable(lists.train, "training");
    skip_undecodable(lists.test, "test");
  }
  const auto info = photo_info(options, image_side(options, lists), std::move(lists.class_names));
  return {.train = std::make_shared<ImageFiles>(info, std::move(lists.train),
                                                stored_for_training(info.width)),
          .val = nullptr,
          .test = std::make_shared<ImageFiles>(info, std::move(lists.test),
                                               stored_for_testing(info.width))};
}

// A key that is set but not read would be a silent mistake.
void require_used(const DataOptions& options, const DatasetEntry& entry) {
  DataOptions given = options;
  DataOptions defaults;
  const auto own = config_fields(defaults);
  const auto fields = config_fields(given);
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto& key = fields[i].key;
    if (entry.reads(key) || value_text(fields[i]) == value_text(own[i])) continue;
    const char* instead = "";
    if (key == "data.size" && entry.problem == Problem::kMasks) instead = "; use data.crop";
    if (key == "data.crop" && entry.problem == Problem::kImages) instead = "; use data.size";
    if (key == "data.root") instead = ": its images are generated";
    throw_error<ConfigError>("{} = {}: {} does not read it{}", key, value_text(fields[i]),
                             entry.name, instead);
  }
}

// The names of classes without an image. Background is in every mask.
std::vector<std::string> empty_classes(const Dataset& dataset) {
  const auto& names = dataset.info().class_names;
  std::vector<bool> present(names.size(), false);
  for (int64_t i = 0; i < dataset.size(); ++i) {
    for (const auto label : dataset.labels_of(i)) present.at(static_cast<size_t>(label)) = true;
  }
  std::vector<std::string> empty;
  for (size_t i = dataset.info().problem == Problem::kMasks ? 1 : 0; i < names.size(); ++i) {
    if (!present[i]) empty.push_back(names[i]);
  }
  return empty;
}

// One line, whatever is missing.
void warn_of_empty_classes(const DataSplits& splits) {
  const auto train = empty_classes(*splits.train);
  const auto test = empty_classes(*splits.test);
  if (train.empty() && test.empty()) return;
  if (train == test) {
    log_warning("no image contains {}", short_list(train));
  } else if (test.empty()) {
    log_warning("no training image contains {}", short_list(train));
  } else if (train.empty()) {
    log_warning("no test image contains {}", short_list(test));
  } else {
    log_warning("no training image contains {}; no test image contains {}", short_list(train),
                short_list(test));
  }
}

DataSplits open_data(const DataOptions& options) {
  const auto& entry = find_dataset(options.name);
  require_used(options, entry);
  constexpr int64_t kSmallestCrop = 8;
  if (options.crop > 0 && options.crop < kSmallestCrop)
    throw_error<ConfigError>("data.crop = {}: too small for a network; use at least {}, or 0",
                             options.crop, kSmallestCrop);
  const bool has_files = entry.list != nullptr;
  if (!options.prepared.empty()) {
    if (has_files) return open_prepared(options);
    throw_error<ConfigError>(
        "data.prepared: only datasets of image files can be prepared; {} is not one", options.name);
  }
  if (entry.list_masks) return open_masks(options, entry.list_masks(options));
  return has_files ? open_images(options, entry.list(options)) : entry.load(options);
}

}  // namespace

DataSplits load_data(const DataOptions& options) {
  DataSplits splits = open_data(options);
  warn_of_empty_classes(splits);
  if (options.train_per_class > 0) {
    splits.train = first_of_every_class(splits.train, options.train_per_class);
  }
  if (options.test_per_class > 0)
    splits.test = first_of_every_class(splits.test, options.test_per_class);
  // Resized last: omitted images need no resizing, and their memory is freed.
  if (options.size > 0 && !has_side(*splits.train, options.size)) {
    splits.train = resized(*splits.train, options.size);
    splits.test = resized(*splits.test, options.size);
  }
  if (options.val_fraction > 0) hold_out_val(splits, options.val_fraction);
  return splits;
}

std::vector<std::string> undecodable_images(const DataOptions& options) {
  const auto& entry = find_dataset(options.name);
  std::vector<std::string> messages;
  if (!entry.list || !options.prepared.empty()) return messages;
  const auto lists = entry.list(options);
  for (const auto& files : {lists.train, lists.test}) {
    for (auto& bad : find_undecodable(files, physical_cores())) {
      messages.push_back(std::move(bad.message));
    }
  }
  return messages;
}

}  // namespace lethe
