// Images with masks in the style of Pascal VOC: a folder of images, a folder of masks with the same
// names, and lists of names. VOC 2012 itself, or the user's own dataset:
//
//   root/JPEGImages/a.jpg            root/ImageSets/Segmentation/train.txt    one name per line: a
//   root/SegmentationClass/a.png     root/ImageSets/Segmentation/val.txt
//   root/classes.txt                 one name per line; the first is background, id 0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "lethe/data/mask_files.h"

namespace lethe {

// Paths are relative to the root. "auto" is the layout above; for VOC, the augmented files if
// present.
struct MaskFolderOptions {
  std::string images = "JPEGImages";
  std::string masks = "auto";
  std::string train_names = "auto";  // or a word: the list with that name in ImageSets/Segmentation
  std::string test_names = "auto";
  std::string classes = "classes.txt";
  std::string colours = "";   // a colour table (mask_file.h); empty = masks contain ids
  int64_t void_id = 255;      // [0, 255], not the id of a class
  std::string saliency = "";  // a folder of PNG maps, named like the images; empty = none
};

// A line of a list is a name without its extension, or "image mask" as two paths relative to the
// root. Images have one of image_suffixes(), masks are .png. Opens no image. Throws ConfigError if
// root is empty or a value is out of range; DataError if files are missing, with their number and
// the first of them.
MaskLists list_mask_folder(const std::filesystem::path& root, const MaskFolderOptions& options);

// VOC 2012 with its 20 classes. root is VOC2012, or a folder above it (VOCdevkit). "auto" uses
// train_aug.txt and SegmentationClassAug if present, else train.txt and SegmentationClass.
// options.classes is ignored.
MaskLists list_voc2012(const std::filesystem::path& root, const MaskFolderOptions& options);

}  // namespace lethe
