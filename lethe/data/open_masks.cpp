#include "lethe/data/open_masks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "lethe/core/log.h"
#include "lethe/core/system.h"

namespace lethe {

namespace {

constexpr int64_t kCrop = 512;  // specification 2.4

// As for photographs (constants of ImageNet), but with the size of the crop.
DatasetInfo info_of(const DataOptions& options, std::vector<std::string> class_names) {
  auto info = photo_info(options, std::move(class_names));
  info.problem = Problem::kMasks;
  info.height = info.width = options.crop > 0 ? options.crop : kCrop;
  info.mask_rules = mask_rules(options);
  return info;
}

void warn_of_empty_classes(const std::vector<MaskFile>& files, const MaskLists& lists,
                           const char* part) {
  std::vector<bool> present(lists.class_names.size(), false);
  for (const auto& file : files) {
    for (const auto label : file.labels) present[static_cast<size_t>(label)] = true;
  }
  std::vector<std::string> empty;
  for (size_t label = 1; label < present.size(); ++label) {
    if (!present[label]) empty.push_back(lists.class_names[label]);
  }
  if (!empty.empty()) log_warning("no {} image contains {}", part, fmt::join(empty, ", "));
}

// Removes files whose image cannot be decoded; find_labels has checked the masks.
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
  warn_of_empty_classes(lists.train, lists, "training");
  warn_of_empty_classes(lists.test, lists, "test");
  const auto info = info_of(options, lists.class_names);
  auto train_info = info;
  train_info.has_saliency = !options.folder.saliency.empty();
  return {.train = std::make_shared<MaskFiles>(train_info, std::move(lists.train), lists.reading),
          .val = nullptr,
          .test = std::make_shared<MaskFiles>(info, std::move(lists.test), lists.reading)};
}

}  // namespace lethe
