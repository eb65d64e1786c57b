// The [data] and [aug] sections of a configuration, and the list of datasets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/data/data_file.h"
#include "lethe/data/dataset.h"
#include "lethe/data/image_files.h"
#include "lethe/data/mask_files.h"
#include "lethe/data/mask_folder.h"
#include "lethe/data/shapes_seg.h"
#include "lethe/data/transform.h"

namespace lethe {

struct DataOptions {
  std::string name = "fashion_mnist";
  std::string root;             // empty = none; fashion_mnist: the folder of its Debian package
  int64_t size = 0;             // input size in pixels; 0 = the dataset's default
  int64_t train_per_class = 0;  // first N training images of each class, 0 = all
  int64_t test_per_class = 0;   // the same for test images
  double val_fraction = 0.0;    // [0, 1): fraction of the training images held out for validation
  int64_t threads = 1;          // loader threads, in addition to the training threads
  // own | imagenet, or "auto": imagenet for colour images with pretrained weights
  std::string normalize = "auto";

  // Datasets of image files only.
  std::string undecodable = "error";     // "error" or "skip": what happens to damaged images
  double test_fraction = 0.2;            // (0, 1): held out for testing if there is no test split
  std::string train_list = "train.txt";  // image_list: relative to root
  std::string test_list = "test.txt";    // empty = hold out test_fraction
  std::string prepared;  // folder of a prepared dataset (prepared.h); empty = decode image files

  // Segmentation only.
  int64_t crop = 0;                      // input size in pixels; 0 = the dataset's default
  std::string seg_setup = "overlapped";  // overlapped | disjoint | sequential (SegSetup)
  std::string void_train = "ignore";     // ignore | background: void pixels in training
  MaskFolderOptions folder;              // for mask_folder and voc2012
  ShapesSegOptions shapes_seg;
};

struct AugmentOptions {
  std::string crop = "auto";   // pad, resized or none
  std::optional<int64_t> pad;  // unset = "auto": the dataset's default
  std::optional<bool> flip;
  std::optional<double> rotation;
  std::string seg = "auto";  // segmentation, replaces crop: area_crop, true_scale or none
};

Fields config_fields(DataOptions& options);
Fields config_fields(AugmentOptions& options);

// One entry of `lethe list datasets`.
struct DatasetEntry {
  std::string name;
  std::string summary;             // one line
  std::string root_help;           // what data.root must contain; empty = no files are read
  Augmentation augmentation = {};  // what "auto" means in [aug]; not used with own_images
  // Exactly one of load, list and list_masks is set. load reads the train and test splits. Throws
  // DataError, or ConfigError if the dataset needs a root and none is given.
  std::function<DataSplits(const DataOptions& options)> load = {};
  // With load: the files that it reads, without their names (data_files.h). Not set if the images
  // are generated. Throws like load.
  std::function<std::vector<DataFile>(const DataOptions& options)> files = {};
  // Datasets of image files. Does not open any image. Throws like load.
  std::function<ImageLists(const DataOptions& options)> list = {};
  // Datasets of images and masks in files. Does not open any file. Throws like load.
  std::function<MaskLists(const DataOptions& options)> list_masks = {};

  Problem problem = Problem::kImages;
  // The dataset-specific [data] keys that it reads. Setting any other dataset-specific key is an
  // error.
  std::vector<std::string> keys = {};
  bool reads(const std::string& key) const;  // whether it reads this key of [data]
  // A dataset of the user's own images: the defaults for input size and augmentation (own_images.h)
  // and for the network and its training (run/recipes.h) depend on the images.
  bool own_images = false;
};

// All datasets, in the order of `lethe list datasets`: data/builtin_datasets.cpp.
const std::vector<DatasetEntry>& builtin_datasets();

// The entry called name. Throws a ConfigError that suggests the closest known name.
const DatasetEntry& find_dataset(const std::string& name);

// Input size of networks trained on ImageNet, and the default for photographs (specification 2.2).
constexpr int64_t kPhotoSide = 224;

// The input size of a dataset of image files: data.size, or the default of the dataset.
int64_t image_side(const DataOptions& options, const ImageLists& lists);

// The DatasetInfo of a dataset that uses ImageNet's normalisation (specification 2.2).
DatasetInfo photo_info(const DataOptions& options, int64_t side,
                       std::vector<std::string> class_names);

// Sets data.crop (segmentation) and data.size (datasets with own_images) to the input size if they
// are 0.
void resolve(DataOptions& options, const DatasetInfo& info);

// Resolves "auto" in [aug] to the dataset's defaults for inputs of this size. Throws ConfigError if
// pad and crop conflict.
Augmentation resolve(const AugmentOptions& options, const DatasetEntry& entry, int64_t side);

// The augmentation as [aug] options, with no "auto" left.
AugmentOptions to_options(const Augmentation& augmentation, const DatasetEntry& entry);

}  // namespace lethe
