#include "lethe/data/options.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/nearest.h"
#include "lethe/core/system.h"
#include "lethe/data/hold_out.h"
#include "lethe/data/image_files.h"
#include "lethe/data/open_masks.h"
#include "lethe/data/prepared.h"
#include "lethe/data/resize.h"

namespace lethe {

namespace {

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& entry : builtin_datasets()) names.push_back(entry.name);
  return names;
}

// Images that are among the first `count` of one of their classes.
DatasetPtr first_of_every_class(const DatasetPtr& dataset, int64_t count) {
  std::map<int64_t, int64_t> seen;  // images by class so far
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

// Takes the images that cannot be decoded out of files; part is said in the warning.
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
  const auto info = photo_info(options, std::move(lists.class_names));
  return {.train = std::make_shared<ImageFiles>(info, std::move(lists.train),
                                                stored_for_training(info.width)),
          .val = nullptr,
          .test = std::make_shared<ImageFiles>(info, std::move(lists.test),
                                               stored_for_testing(info.width))};
}

// Keys that not every data set reads. data.prepared is refused where it is opened.
bool is_special(const std::string& key) {
  static const std::vector<std::string> everywhere = {
      "data.name",         "data.root",      "data.train_per_class", "data.test_per_class",
      "data.val_fraction", "data.normalize", "data.threads",         "data.prepared"};
  return std::find(everywhere.begin(), everywhere.end(), key) == everywhere.end();
}

}  // namespace

bool DatasetEntry::reads(const std::string& key) const {
  return !is_special(key) || std::find(keys.begin(), keys.end(), key) != keys.end();
}

namespace {

// A key that is set and not read would be a silent mistake.
void require_used(const DataOptions& options, const DatasetEntry& entry) {
  DataOptions given = options;
  DataOptions defaults;
  const auto own = config_fields(defaults);
  const auto fields = config_fields(given);
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto& key = fields[i].key;
    if (entry.reads(key) || value_text(fields[i]) == value_text(own[i])) continue;
    const char* instead = "";
    if (key == "data.size" && entry.problem == Problem::kMasks)
      instead = "; data.crop is the side there";
    if (key == "data.crop" && entry.problem == Problem::kImages)
      instead = "; data.size is the side there";
    throw_error<ConfigError>("{} = {}: {} does not read it{}", key, value_text(fields[i]),
                             entry.name, instead);
  }
}

DataSplits open_data(const DataOptions& options) {
  const auto& entry = find_dataset(options.name);
  require_used(options, entry);
  constexpr int64_t kSmallestCrop = 8;
  if (options.crop > 0 && options.crop < kSmallestCrop)
    throw_error<ConfigError>("data.crop = {}: is too small for a network; at least {}, or 0",
                             options.crop, kSmallestCrop);
  const bool has_files = entry.list != nullptr;
  if (!options.prepared.empty()) {
    if (has_files) return open_prepared(options);
    throw_error<ConfigError>("data.prepared: only sets of image files are prepared, {} is not one",
                             options.name);
  }
  if (entry.list_masks) return open_masks(options, entry.list_masks(options));
  return has_files ? open_images(options, entry.list(options)) : entry.load(options);
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
      {"data.test_per_class", &o.test_per_class, "first N test images of every class, 0 = all",
       at_least(0)},
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
      {"data.undecodable",
       &o.undecodable,
       "image files that cannot be decoded: an error, or left out and counted",
       {},
       {"error", "skip"}},
      {"data.test_fraction", &o.test_fraction,
       "part of the images that is held out to test on, where a set has no test part",
       Range{.min = 0, .max = 1, .open_min = true, .open_max = true}},
      {"data.train_list", &o.train_list, "image_list: its list of training images, below the root"},
      {"data.test_list", &o.test_list,
       "image_list: its list of test images; empty = hold out data.test_fraction"},
      {.key = "data.prepared",
       .target = &o.prepared,
       .help = "folder made by `lethe data prepare`; empty = decode the image files",
       .is_path = true},
      {"data.crop", &o.crop,
       "masks: side in pixels of what the network sees, 0 = the data set's own (voc2012: 512)",
       between(0, 4096)},
      {"data.seg_setup",
       &o.seg_setup,
       "masks: which images a task trains on. overlapped: that show a new class; disjoint: and no "
       "later one; sequential: as disjoint, and old classes keep their labels",
       {},
       {"overlapped", "disjoint", "sequential"}},
      {"data.void_train",
       &o.void_train,
       "masks: what void pixels are in training",
       {},
       {"ignore", "background"}},
      {.key = "data.saliency",
       .target = &o.folder.saliency,
       .help = "masks: folder of saliency maps, PNG, named as the images; empty = none",
       .is_path = true},
      {"data.images", &o.folder.images, "masks: folder of the images, below the root"},
      {"data.masks", &o.folder.masks,
       "masks: folder of the masks, below the root; auto = SegmentationClass, voc2012: "
       "SegmentationClassAug where it is"},
      {"data.train_names", &o.folder.train_names,
       "masks: list of the training images, below the root or in ImageSets/Segmentation; auto = "
       "train, voc2012: train_aug where it is"},
      {"data.test_names", &o.folder.test_names, "masks: the same of the test images; auto = val"},
      {"data.classes", &o.folder.classes,
       "mask_folder: list of the class names, below the root; the first is background"},
      {"data.mask_colours", &o.folder.colours,
       "mask_folder: table of \"R G B class\" lines for masks that hold colours, below the root"},
      {"data.void", &o.folder.void_id, "mask_folder: the id of void pixels", between(0, 255)},
      {"data.cooccurrence", &o.shapes_seg.cooccurrence,
       "shapes_seg: part of the images that show further classes", between(0, 1)},
  };
}

Fields config_fields(AugmentOptions& o) {
  return {
      {"aug.crop",
       &o.crop,
       "pad: by aug.pad, then back at random; resized: a random part, scaled to the input size",
       {},
       {"auto", "pad", "resized", "none"}},
      {"aug.pad", &o.pad, "of aug.crop = \"pad\": zero-pad by this many pixels; 0 = off",
       between(0, 256)},
      {"aug.flip", &o.flip, "mirror every other image, left to right"},
      {"aug.rotation", &o.rotation, "rotate at random by up to this many degrees; 0 = off",
       between(0, 180)},
      {"aug.seg",
       &o.seg,
       "masks, in place of aug.crop. area_crop: a random part of half the image or more, scaled to "
       "data.crop; true_scale: scaled by 0.5 to 2, then a random part; none: the centre",
       {},
       {"auto", "area_crop", "true_scale", "none"}},
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
  DataSplits splits = open_data(options);
  if (options.train_per_class > 0) {
    splits.train = first_of_every_class(splits.train, options.train_per_class);
  }
  if (options.test_per_class > 0)
    splits.test = first_of_every_class(splits.test, options.test_per_class);
  // After the choice of images: those left out need not be scaled, and their memory becomes free.
  if (options.size > 0 && !has_side(*splits.train, options.size)) {
    splits.train = resized(*splits.train, options.size);
    splits.test = resized(*splits.test, options.size);
  }
  if (options.val_fraction > 0) hold_out_val(splits, options.val_fraction);
  return splits;
}

int64_t photo_side(const DataOptions& options) { return options.size > 0 ? options.size : 224; }

DatasetInfo photo_info(const DataOptions& options, std::vector<std::string> class_names) {
  return {.name = options.name,
          .class_names = std::move(class_names),
          .channels = 3,
          .height = photo_side(options),
          .width = photo_side(options),
          .mean = {0.485, 0.456, 0.406},
          .std = {0.229, 0.224, 0.225}};
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

void resolve(DataOptions& options, const DatasetInfo& info) {
  if (info.problem == Problem::kMasks && options.crop == 0) options.crop = info.width;
}

namespace {

Augmentation resolve_for_masks(const AugmentOptions& options, const DatasetEntry& entry) {
  const auto& own = entry.augmentation;
  const bool is_auto = options.seg == "auto";
  if (options.crop != "auto" && options.crop != "none") {
    throw_error<ConfigError>("aug.crop = \"{}\": is for images; {} has masks, use aug.seg",
                             options.crop, entry.name);
  }
  if (options.pad.value_or(0) > 0) {
    throw_error<ConfigError>("aug.pad = {}: is for images; {} has masks, use aug.seg", *options.pad,
                             entry.name);
  }
  return {.crop = is_auto                       ? own.crop
                  : options.seg == "area_crop"  ? Crop::kArea
                  : options.seg == "true_scale" ? Crop::kScale
                                                : Crop::kPad,
          .pad = 0,
          .flip = options.flip.value_or(own.flip),
          .rotation = options.rotation.value_or(own.rotation)};
}

const char* seg_name(Crop crop) {
  return crop == Crop::kArea ? "area_crop" : crop == Crop::kScale ? "true_scale" : "none";
}

}  // namespace

Augmentation resolve(const AugmentOptions& options, const DatasetEntry& entry) {
  if (entry.problem == Problem::kMasks) return resolve_for_masks(options, entry);
  if (options.seg != "auto" && options.seg != "none") {
    throw_error<ConfigError>("aug.seg = \"{}\": is for masks; {} has none, use aug.crop",
                             options.seg, entry.name);
  }
  const auto& own = entry.augmentation;
  const bool is_auto = options.crop == "auto";
  const bool resized = is_auto ? own.crop == Crop::kResized : options.crop == "resized";
  const bool pads = !resized && options.crop != "none";
  if (!pads && options.pad.value_or(0) > 0) {
    throw_error<ConfigError>("aug.pad = {}: pads only with aug.crop = \"pad\"; here it is \"{}\"",
                             *options.pad, resized ? "resized" : "none");
  }
  if (options.crop == "pad" && own.pad == 0 && !options.pad) {
    throw_error<ConfigError>("aug.crop = \"pad\": {} has no padding of its own; set aug.pad",
                             entry.name);
  }
  return {.crop = resized ? Crop::kResized : Crop::kPad,
          .pad = pads ? options.pad.value_or(own.pad) : 0,
          .flip = options.flip.value_or(own.flip),
          .rotation = options.rotation.value_or(own.rotation)};
}

AugmentOptions to_options(const Augmentation& augmentation, const DatasetEntry& entry) {
  const bool resized = augmentation.crop == Crop::kResized;
  return {.crop = entry.problem == Problem::kMasks ? "none"
                  : resized                        ? "resized"
                                                   : "pad",
          .pad = augmentation.pad,
          .flip = augmentation.flip,
          .rotation = augmentation.rotation,
          .seg = seg_name(augmentation.crop)};
}

}  // namespace lethe
