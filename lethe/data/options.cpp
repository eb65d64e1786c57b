#include "lethe/data/options.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/nearest.h"
#include "lethe/core/random.h"
#include "lethe/data/resize.h"

namespace lethe {

namespace {

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& entry : builtin_datasets()) names.push_back(entry.name);
  return names;
}

// Sample numbers by class, each ascending. A sample with several labels counts for its first.
std::map<int64_t, std::vector<int64_t>> by_class(const Dataset& dataset) {
  std::map<int64_t, std::vector<int64_t>> groups;
  for (int64_t i = 0; i < dataset.size(); ++i) {
    const auto labels = dataset.labels_of(i);
    groups[labels.empty() ? -1 : labels.front()].push_back(i);
  }
  return groups;
}

DatasetPtr subset(const DatasetPtr& dataset, std::vector<int64_t> samples) {
  std::sort(samples.begin(), samples.end());
  return std::make_shared<Subset>(dataset, std::move(samples));
}

DatasetPtr first_of_every_class(const DatasetPtr& dataset, int64_t count) {
  std::vector<int64_t> kept;
  for (const auto& [label, samples] : by_class(*dataset)) {
    const auto taken = std::min(count, static_cast<int64_t>(samples.size()));
    kept.insert(kept.end(), samples.begin(), samples.begin() + taken);
  }
  return subset(dataset, std::move(kept));
}

// How many of a class's images are held out: one at least, but never all.
int64_t held_out_count(int64_t images, double fraction) {
  if (images < 2) return 0;
  const auto wanted = std::llround(fraction * static_cast<double>(images));
  return std::clamp<int64_t>(wanted, 1, images - 1);
}

void hold_out(DataSplits& splits, double fraction) {
  constexpr uint64_t kSeed = 0;  // not the run's: every run tunes on the same images
  std::vector<int64_t> train;
  std::vector<int64_t> val;
  for (const auto& [label, samples] : by_class(*splits.train)) {
    const auto count = static_cast<int64_t>(samples.size());
    Random random(kSeed, Purpose::kHoldOut, static_cast<uint32_t>(label));
    const auto order = random.permutation(count);
    const int64_t held = held_out_count(count, fraction);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t sample = samples[static_cast<size_t>(order[static_cast<size_t>(i)])];
      (i < held ? val : train).push_back(sample);
    }
  }
  splits.val = subset(splits.train, std::move(val));
  splits.train = subset(splits.train, std::move(train));
}

bool has_side(const Dataset& dataset, int64_t side) {
  return dataset.info().height == side && dataset.info().width == side;
}

}  // namespace

Fields config_fields(DataOptions& o) {
  return {
      {"data.name", &o.name, "which data set; see `lethe list datasets`", {}, dataset_names()},
      {.key = "data.root",
       .target = &o.root,
       .help = "its folder; empty = the system's package or the built-in default",
       .is_path = true},
      {"data.size", &o.size, "input side in pixels, 0 = the data set's own", between(0, 1024)},
      {"data.train_per_class", &o.train_per_class,
       "first N training images of every class, 0 = all", at_least(0)},
      {"data.val_fraction", &o.val_fraction,
       "part of the training images that is held out, to tune on", at_least_below(0, 1)},
      {"data.normalize",
       &o.normalize,
       "mean and deviation of the inputs: the data set's own or ImageNet's; auto = imagenet for "
       "colour images with model.pretrained, else own",
       {},
       {"auto", "own", "imagenet"}},
      {"data.threads", &o.threads,
       "loader threads beside the training threads, 0 = load in the training thread",
       between(0, 256)},
  };
}

Fields config_fields(AugmentOptions& o) {
  return {
      {"aug.pad", &o.pad, "zero-pad by this many pixels, then crop back at random; 0 = off",
       between(0, 256)},
      {"aug.flip", &o.flip, "mirror every other image, left to right"},
      {"aug.rotation", &o.rotation, "rotate at random by up to this many degrees; 0 = off",
       between(0, 180)},
  };
}

const DatasetEntry& find_dataset(const std::string& name) {
  for (const auto& entry : builtin_datasets()) {
    if (entry.name == name) return entry;
  }
  const auto known = dataset_names();
  throw_error<ConfigError>("data.name: unknown data set '{}'{}", name, choose_from(name, known));
}

DataSplits load_data(const DataOptions& options) {
  DataSplits splits = find_dataset(options.name).load(options.root);
  if (options.train_per_class > 0) {
    splits.train = first_of_every_class(splits.train, options.train_per_class);
  }
  // After the choice of images: those left out need not be scaled, and their memory becomes free.
  if (options.size > 0 && !has_side(*splits.train, options.size)) {
    splits.train = resized(*splits.train, options.size);
    splits.test = resized(*splits.test, options.size);
  }
  if (options.val_fraction > 0) hold_out(splits, options.val_fraction);
  return splits;
}

Augmentation resolve(const AugmentOptions& options, const DatasetEntry& entry) {
  return {.pad = options.pad.value_or(entry.augmentation.pad),
          .flip = options.flip.value_or(entry.augmentation.flip),
          .rotation = options.rotation.value_or(entry.augmentation.rotation)};
}

}  // namespace lethe
