#include "lethe/data/options.h"

#include <algorithm>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/nearest.h"
#include "lethe/data/own_images.h"

namespace lethe {

namespace {

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& entry : builtin_datasets()) names.push_back(entry.name);
  return names;
}

// Keys that only some datasets read. (load_data() checks data.prepared.)
bool is_special(const std::string& key) {
  static const std::vector<std::string> everywhere = {
      "data.name",      "data.train_per_class", "data.test_per_class", "data.val_fraction",
      "data.normalize", "data.threads",         "data.prepared"};
  return std::find(everywhere.begin(), everywhere.end(), key) == everywhere.end();
}

}  // namespace

bool DatasetEntry::reads(const std::string& key) const {
  if (key == "data.root") return !root_help.empty();
  return !is_special(key) || std::find(keys.begin(), keys.end(), key) != keys.end();
}

Fields config_fields(DataOptions& o) {
  return {
      common(
          {"data.name", &o.name, "dataset name; see `lethe list datasets`", {}, dataset_names()}),
      common({.key = "data.root",
              .target = &o.root,
              .help = "dataset folder; empty for shapes and shapes_seg, and for fashion_mnist from "
                      "Debian's package",
              .is_path = true}),
      common({"data.size", &o.size,
              "classification: input size in pixels; 0 = the dataset's default (your own images: "
              "32, 64 or 224, "
              "depending on their size and number)",
              between(0, 1024)}),
      common({"data.train_per_class", &o.train_per_class,
              "use only the first N training images of each class; 0 = all", at_least(0)}),
      common({"data.test_per_class", &o.test_per_class,
              "use only the first N test images of each class; 0 = all", at_least(0)}),
      common({"data.val_fraction", &o.val_fraction,
              "fraction of the training images held out for validation", at_least_below(0, 1)}),
      {"data.normalize",
       &o.normalize,
       "mean and standard deviation for input normalisation: the dataset's or ImageNet's; auto = "
       "imagenet for colour images with model.pretrained, else own",
       {},
       {"auto", "own", "imagenet"}},
      common(
          {"data.threads", &o.threads,
           "loader threads, in addition to the training threads; 0 = load in the training thread",
           between(0, 256)}),
      common(
          {"data.undecodable",
           &o.undecodable,
           "what to do with images that cannot be decoded: stop with an error, or skip and count "
           "them",
           {},
           {"error", "skip"}}),
      common({"data.test_fraction", &o.test_fraction,
              "fraction of the images held out for testing, if the dataset has no test split",
              Range{.min = 0, .max = 1, .open_min = true, .open_max = true}}),
      {"data.train_list", &o.train_list,
       "image_list: list of training images, relative to data.root"},
      {"data.test_list", &o.test_list,
       "image_list: list of test images, relative to data.root; empty = hold out "
       "data.test_fraction"},
      common({.key = "data.prepared",
              .target = &o.prepared,
              .help = "folder written by `lethe data prepare`; empty = decode the image files",
              .is_path = true}),
      common({"data.crop", &o.crop,
              "segmentation: input size in pixels; 0 = the dataset's default (voc2012: 512)",
              between(0, 4096)}),
      common(
          {"data.seg_setup",
           &o.seg_setup,
           "segmentation: images that a task trains on: overlapped = those that contain a new "
           "class; disjoint = as overlapped, without images that contain classes of later tasks; "
           "sequential = as disjoint, but old classes keep their labels",
           {},
           {"overlapped", "disjoint", "sequential"}}),
      {"data.void_train",
       &o.void_train,
       "segmentation: ignore void pixels in training, or treat them as background",
       {},
       {"ignore", "background"}},
      {.key = "data.saliency",
       .target = &o.folder.saliency,
       .help = "segmentation: folder of saliency maps (PNG) with the same names as the images; "
               "empty = none",
       .is_path = true},
      {"data.images", &o.folder.images, "segmentation: folder of images, relative to data.root"},
      {"data.masks", &o.folder.masks,
       "segmentation: folder of masks, relative to data.root; auto = SegmentationClass (voc2012: "
       "SegmentationClassAug if present)"},
      {"data.train_names", &o.folder.train_names,
       "segmentation: list of training images, relative to data.root or in "
       "ImageSets/Segmentation; auto = train (voc2012: train_aug if present)"},
      {"data.test_names", &o.folder.test_names, "segmentation: list of test images; auto = val"},
      {"data.classes", &o.folder.classes,
       "mask_folder: list of class names, relative to data.root; the first is background"},
      {"data.mask_colours", &o.folder.colours,
       "mask_folder: file that maps the colours of RGB masks to classes, one \"R G B class\" per "
       "line; relative to data.root"},
      {"data.void", &o.folder.void_id, "mask_folder: id of void pixels", between(0, 255)},
      {"data.cooccurrence", &o.shapes_seg.cooccurrence,
       "shapes_seg: fraction of images with more than one class", between(0, 1)},
  };
}

Fields config_fields(AugmentOptions& o) {
  return {
      common({"aug.crop",
              &o.crop,
              "pad = pad by aug.pad, then random crop; resized = random resized crop; auto depends "
              "on the dataset",
              {},
              {"auto", "pad", "resized", "none"}}),
      {"aug.pad", &o.pad,
       "zero-padding in pixels for aug.crop = \"pad\"; 0 = off; auto depends on the dataset",
       between(0, 256)},
      common({"aug.flip", &o.flip,
              "flip images horizontally with probability 1/2; auto depends on the dataset"}),
      common({"aug.rotation", &o.rotation,
              "rotate randomly by up to this many degrees; 0 = off; auto depends on the dataset",
              between(0, 180)}),
      common({"aug.seg",
              &o.seg,
              "segmentation (instead of aug.crop): area_crop = random resized crop of at least "
              "half the image; true_scale = rescale by a random factor from 0.5 to 2, then random "
              "crop; none = centre crop; auto depends on the dataset",
              {},
              {"auto", "area_crop", "true_scale", "none"}}),
  };
}

const DatasetEntry& find_dataset(const std::string& name) {
  for (const auto& entry : builtin_datasets()) {
    if (entry.name == name) return entry;
  }
  const auto known = dataset_names();
  throw_error<ConfigError>("data.name: unknown dataset '{}'{}", name, choose_from(name, known));
}

int64_t image_side(const DataOptions& options, const ImageLists& lists) {
  if (options.size > 0) return options.size;
  return find_dataset(options.name).own_images ? own_image_side(lists) : kPhotoSide;
}

DatasetInfo photo_info(const DataOptions& options, int64_t side,
                       std::vector<std::string> class_names) {
  return {.name = options.name,
          .class_names = std::move(class_names),
          .channels = 3,
          .height = side,
          .width = side,
          .mean = {0.485, 0.456, 0.406},
          .std = {0.229, 0.224, 0.225}};
}

void resolve(DataOptions& options, const DatasetInfo& info) {
  if (info.problem == Problem::kMasks && options.crop == 0) options.crop = info.width;
  if (find_dataset(options.name).own_images && options.size == 0) options.size = info.width;
}

namespace {

Augmentation resolve_for_masks(const AugmentOptions& options, const DatasetEntry& entry) {
  const auto& own = entry.augmentation;
  const bool is_auto = options.seg == "auto";
  if (options.crop != "auto" && options.crop != "none") {
    throw_error<ConfigError>("aug.crop = \"{}\": is for classification; for {} use aug.seg",
                             options.crop, entry.name);
  }
  if (options.pad.value_or(0) > 0) {
    throw_error<ConfigError>("aug.pad = {}: is for classification; for {} use aug.seg",
                             *options.pad, entry.name);
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

Augmentation resolve(const AugmentOptions& options, const DatasetEntry& entry, int64_t side) {
  if (entry.problem == Problem::kMasks) return resolve_for_masks(options, entry);
  if (options.seg != "auto" && options.seg != "none") {
    throw_error<ConfigError>("aug.seg = \"{}\": is for segmentation; for {} use aug.crop",
                             options.seg, entry.name);
  }
  const auto own = entry.own_images ? own_image_augmentation(side) : entry.augmentation;
  const bool is_auto = options.crop == "auto";
  const bool resized = is_auto ? own.crop == Crop::kResized : options.crop == "resized";
  const bool pads = !resized && options.crop != "none";
  if (!pads && options.pad.value_or(0) > 0) {
    throw_error<ConfigError>("aug.pad = {}: needs aug.crop = \"pad\"; here it is \"{}\"",
                             *options.pad, resized ? "resized" : "none");
  }
  if (options.crop == "pad" && own.pad == 0 && !options.pad) {
    throw_error<ConfigError>("aug.crop = \"pad\": {} has no default padding; set aug.pad",
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
