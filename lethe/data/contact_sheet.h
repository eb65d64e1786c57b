// A contact sheet: a picture of the network inputs. Each row contains images of one class after
// augmentation, with their masks as overlays in the colours of mask_colours.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "lethe/data/dataset.h"
#include "lethe/data/transform.h"

namespace lethe {

struct ContactSheetOptions {
  int64_t max_rows = 12;  // with more classes, rows are spread evenly over all classes
  int64_t columns = 8;    // the first images of each class
  int64_t side = 112;     // approximate size of an image; small images get an integer scale factor
  uint64_t seed = 0;      // seed of the augmentation, as in the first epoch of a run
};

// uint8 [3, H, W]. Skips classes without an image. Throws Error if no class has one.
at::Tensor contact_sheet(const Dataset& dataset, const Augmentation& augmentation,
                         const ContactSheetOptions& options);

// Undoes the normalisation of an image [C, H, W] and returns uint8 [3, H, W]. Overwrites image.
at::Tensor to_levels(const at::Tensor& image, const DatasetInfo& info);

}  // namespace lethe
