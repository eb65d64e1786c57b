// The [data] and [aug] sections of a configuration, and the list of data sets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/data/dataset.h"
#include "lethe/data/image_files.h"
#include "lethe/data/mask_files.h"
#include "lethe/data/mask_folder.h"
#include "lethe/data/shapes_seg.h"
#include "lethe/data/transform.h"

namespace lethe {

struct DataOptions {
  std::string name = "fashion_mnist";
  std::string root;             // empty = the system's package or the built-in default
  int64_t size = 0;             // input side, 0 = the data set's own
  int64_t train_per_class = 0;  // first N training images of every class, 0 = all
  int64_t test_per_class = 0;   // the same of test images
  double val_fraction = 0.0;    // [0, 1): held out of the training images, to tune on
  int64_t threads = 1;          // of the loader, beside the training threads
  // own | imagenet, or "auto": imagenet for colour images with pretrained weights
  std::string normalize = "auto";

  // Sets of image files only.
  std::string undecodable = "error";  // or "skip": what an image that cannot be decoded means
  double test_fraction = 0.2;         // (0, 1): held out to test on, where a set has no test part
  std::string train_list = "train.txt";  // image_list: below root
  std::string test_list = "test.txt";    // empty = hold out test_fraction
  std::string prepared;                  // folder of a prepared set (prepared.h); empty = decode

  // Sets with masks only.
  int64_t crop = 0;                      // side of what the network sees, 0 = the data set's own
  std::string seg_setup = "overlapped";  // disjoint, sequential: SegSetup
  std::string void_train = "ignore";     // or "background": what void is in training
  MaskFolderOptions folder;              // of mask_folder and voc2012
  ShapesSegOptions shapes_seg;
};

struct AugmentOptions {
  std::string crop = "auto";   // pad, resized or none
  std::optional<int64_t> pad;  // not set = "auto": what the data set's entry says
  std::optional<bool> flip;
  std::optional<double> rotation;
  std::string seg = "auto";  // of sets with masks, in place of crop: area_crop, true_scale or none
};

Fields config_fields(DataOptions& options);
Fields config_fields(AugmentOptions& options);

// One line of `lethe list datasets`.
struct DatasetEntry {
  std::string name;
  std::string summary;        // one line
  std::string root_help;      // what data.root must hold
  Augmentation augmentation;  // what "auto" means in [aug]
  // Exactly one of these three. Reads train and test. Throws DataError, or ConfigError if the set
  // needs a root and none is given.
  std::function<DataSplits(const DataOptions& options)> load = {};
  // Sets of image files. Opens no image. Throws as load.
  std::function<ImageLists(const DataOptions& options)> list = {};
  // Sets of images and masks in files. Opens neither. Throws as load.
  std::function<MaskLists(const DataOptions& options)> list_masks = {};

  Problem problem = Problem::kImages;
  // The keys of [data] that it reads and not every set does; to set another one is an error.
  std::vector<std::string> keys = {};
  bool reads(const std::string& key) const;  // a key of [data]
};

// All data sets, in the order in which they are listed: data/builtin_datasets.cpp.
const std::vector<DatasetEntry>& builtin_datasets();

// The entry called name; throws ConfigError that offers the nearest known name.
const DatasetEntry& find_dataset(const std::string& name);

// Reads the data set and applies size or crop, train_per_class and val_fraction. Of a set with
// masks, an image is among the first of every class that it shows. Held-out images are drawn per
// class from a fixed seed: the same for every run. At least one image of a class stays on each side
// where it has two. With undecodable = "skip" every image of a set of image files is decoded once
// before, so that what is left out depends on the files alone; a warning names them. Throws
// ConfigError if a key is set that this data set does not read.
DataSplits load_data(const DataOptions& options);

// What the network sees of photographs, as networks trained on ImageNet expect it
// (specification 2.2): data.size, or 224.
int64_t photo_side(const DataOptions& options);
DatasetInfo photo_info(const DataOptions& options, std::vector<std::string> class_names);

// Every image file of the set that cannot be decoded, with the reason. Empty for sets of other
// files and for those with masks.
std::vector<std::string> undecodable_images(const DataOptions& options);

// Replaces 0 in data.crop by the side that the data set has.
void resolve(DataOptions& options, const DatasetInfo& info);

// [aug] with "auto" replaced by the data set's own. Throws ConfigError if pad and crop exclude each
// other.
Augmentation resolve(const AugmentOptions& options, const DatasetEntry& entry);

// As [aug] says it, nothing "auto".
AugmentOptions to_options(const Augmentation& augmentation, const DatasetEntry& entry);

}  // namespace lethe
