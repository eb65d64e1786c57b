#include <algorithm>

#include "lethe/data/cars.h"
#include "lethe/data/cifar.h"
#include "lethe/data/cub.h"
#include "lethe/data/fashion_mnist.h"
#include "lethe/data/image_folder.h"
#include "lethe/data/image_list.h"
#include "lethe/data/open_masks.h"
#include "lethe/data/options.h"
#include "lethe/data/shapes.h"

namespace lethe {

namespace {

Augmentation photo_augmentation() {  // specification 2.2: no rotation
  return {.crop = Crop::kResized, .pad = 0, .flip = true, .rotation = 0};
}

Augmentation mask_augmentation() {  // specification 2.4
  return {.crop = Crop::kArea, .pad = 0, .flip = true, .rotation = 0};
}

}  // namespace

const std::vector<DatasetEntry>& builtin_datasets() {
  static const std::vector<DatasetEntry> entries = {
      {.name = "fashion_mnist",
       .summary =
           "10 classes of clothes, greyscale, 60,000 + 10,000 images of 28 x 28, padded to 32 x 32",
       .root_help =
           "empty for Debian's package dataset-fashion-mnist, or a folder with "
           "train-images-idx3-ubyte(.gz), train-labels-idx1-ubyte(.gz) and the same for t10k",
       .augmentation = {.pad = 2, .flip = true, .rotation = 0},
       .load = [](const DataOptions& options) { return load_fashion_mnist(options.root); },
       .files = [](const DataOptions& options) { return fashion_mnist_files(options.root); },
       .keys = {"data.size"}},
      {.name = "cifar10",
       .summary = "10 classes of animals and vehicles, colour, 50,000 + 10,000 images of 32 x 32",
       .root_help =
           "a folder with data_batch_1.bin to data_batch_5.bin and test_batch.bin, or with the "
           "Python files",
       .augmentation = {.pad = 4, .flip = true, .rotation = 15},
       .load = [](const DataOptions& options) { return load_cifar10(options.root); },
       .files = [](const DataOptions& options) { return cifar10_files(options.root); },
       .keys = {"data.size"}},
      {.name = "cifar100",
       .summary = "100 object classes, colour, 50,000 + 10,000 images of 32 x 32",
       .root_help = "a folder with train.bin and test.bin, or with the Python files",
       .augmentation = {.pad = 4, .flip = true, .rotation = 15},
       .load = [](const DataOptions& options) { return load_cifar100(options.root); },
       .files = [](const DataOptions& options) { return cifar100_files(options.root); },
       .keys = {"data.size"}},
      {.name = "shapes",
       .summary = "12 synthetic classes (shape x texture), colour images of 32 x 32",
       .root_help = "",
       .augmentation = {.pad = 2, .flip = false, .rotation = 0},
       .load =
           [](const DataOptions& options) {
             // As many as asked; load_data() keeps the first ones if fewer are asked.
             return make_shapes(
                 {.train_per_class = std::max(options.train_per_class, kShapesTrainPerClass),
                  .test_per_class = std::max(options.test_per_class, kShapesTestPerClass)});
           },
       .keys = {"data.size"}},
      {.name = "cub200",
       .summary = "CUB-200-2011: 200 bird species, photographs, 5,994 + 5,794 images",
       .root_help = "the folder CUB_200_2011 with images.txt and images/",
       .augmentation = photo_augmentation(),
       .list = [](const DataOptions& options) { return list_cub(options.root); },
       .keys = {"data.size", "data.undecodable"}},
      {.name = "cars",
       .summary = "Stanford Cars: 196 car models, photographs, 8,144 + 8,041 images",
       .root_help = "a folder with devkit/, cars_train/ and cars_test/",
       .augmentation = photo_augmentation(),
       .list =
           [](const DataOptions& options) {
             return list_cars(options.root, options.test_fraction);
           },
       .keys = {"data.size", "data.undecodable", "data.test_fraction"}},
      {.name = "image_folder",
       .summary = "your own images, one folder per class: JPEG, PNG, WebP, BMP",
       .root_help = "a folder with train/<class>/* and test/<class>/*, or with <class>/* alone "
                    "(data.test_fraction of the images is then held out for testing)",
       .list =
           [](const DataOptions& options) {
             return list_image_folder(options.root, options.test_fraction);
           },
       .keys = {"data.size", "data.undecodable", "data.test_fraction"},
       .own_images = true},
      {.name = "image_list",
       .summary = "your own images, listed in text files with one \"path label\" per line",
       .root_help = "a folder with train.txt and test.txt (data.train_list, data.test_list)",
       .list =
           [](const DataOptions& options) {
             return list_image_list(options.root, {.train_list = options.train_list,
                                                   .test_list = options.test_list,
                                                   .test_fraction = options.test_fraction});
           },
       .keys = {"data.size", "data.undecodable", "data.test_fraction", "data.train_list",
                "data.test_list"},
       .own_images = true},
      {.name = "voc2012",
       .summary = "segmentation: Pascal VOC 2012, 20 classes, photographs, 10,582 + 1,449 images",
       .root_help =
           "the folder VOC2012 with JPEGImages/, SegmentationClassAug/ or SegmentationClass/, and "
           "ImageSets/Segmentation/; or the folder above it (VOCdevkit), or the one above that",
       .augmentation = mask_augmentation(),
       .list_masks =
           [](const DataOptions& options) { return list_voc2012(options.root, options.folder); },
       .problem = Problem::kMasks,
       .keys = {"data.crop", "data.seg_setup", "data.void_train", "data.saliency", "data.images",
                "data.masks", "data.train_names", "data.test_names", "data.undecodable"}},
      {.name = "mask_folder",
       .summary = "segmentation: your own images with masks, in the layout of Pascal VOC",
       .root_help = "a folder with JPEGImages/, SegmentationClass/ (PNG), "
                    "ImageSets/Segmentation/train.txt and val.txt, and classes.txt",
       .augmentation = mask_augmentation(),
       .list_masks =
           [](const DataOptions& options) {
             return list_mask_folder(options.root, options.folder);
           },
       .problem = Problem::kMasks,
       .keys = {"data.crop", "data.seg_setup", "data.void_train", "data.saliency", "data.images",
                "data.masks", "data.train_names", "data.test_names", "data.classes",
                "data.mask_colours", "data.void", "data.undecodable"}},
      {.name = "shapes_seg",
       .summary =
           "segmentation: 20 synthetic classes (combinations of shape, texture and colour), images "
           "of 64 x 64",
       .root_help = "",
       .augmentation = {.crop = Crop::kPad, .pad = 0, .flip = true, .rotation = 0},
       .load =
           [](const DataOptions& options) {
             return make_shapes_seg(options.shapes_seg, options.crop, mask_rules(options));
           },
       .problem = Problem::kMasks,
       .keys = {"data.crop", "data.seg_setup", "data.void_train", "data.cooccurrence"}},
  };
  return entries;
}

}  // namespace lethe
