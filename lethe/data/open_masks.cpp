#include "lethe/data/open_masks.h"

#include <algorithm>
#include <utility>

#include "lethe/core/system.h"

namespace lethe {

namespace {

constexpr int64_t kCrop = 512;  // specification 2.4

// The same as for photographs (ImageNet's constants), but with the size of the crop.
DatasetInfo info_of(const DataOptions& options, std::vector<std::string> class_names) {
  auto info = photo_info(options, options.crop > 0 ? options.crop : kCrop, std::move(class_names));
  info.problem = Problem::kMasks;
  info.mask_rules = mask_rules(options);
  return info;
}

// Removes the samples whose images cannot be decoded.
void skip_images(std::vector<MaskFile>& files, const char* part) {
  std::vector<ImageFile> images;
  for (const auto& file : files) images.push_back({.path = file.image, .label = 0});
  const auto bad = left_out(images, part);
  for (const auto index : bad) files[static_cast<size_t>(index)].mask.clear();  // marks it
  std::erase_if(files, [](const MaskFile& file) { return file.mask.empty(); });
}

}  // namespace

MaskRules mask_rules(const DataOptions& options) {
  return {.setup = options.seg_setup == "disjoint"     ? SegSetup::kDisjoint
                   : options.seg_setup == "sequential" ? SegSetup::kSequential
                                                       : SegSetup::kOverlapped,
          .void_is_background = options.void_train == "background"};
}

DataSplits open_masks(const DataOptions& options, MaskLists lists) {
  const bool skip = options.undecodable == "skip";
  find_labels(lists, skip, physical_cores());
  if (skip) {
    skip_images(lists.train, "training");
    skip_images(lists.test, "test");
  }
  const auto info = info_of(options, lists.class_names);
  auto train_info = info;
  train_info.has_saliency = !options.folder.saliency.empty();
  return {.train = std::make_shared<MaskFiles>(train_info, std::move(lists.train), lists.reading),
          .val = nullptr,
          .test = std::make_shared<MaskFiles>(info, std::move(lists.test), lists.reading)};
}

}  // namespace lethe
