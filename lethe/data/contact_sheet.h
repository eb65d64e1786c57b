// A contact sheet: what the network is shown, as a picture for people. A row per class, in it some
// of its images after augmentation, masks laid over in the colours of mask_colours.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "lethe/data/dataset.h"
#include "lethe/data/transform.h"

namespace lethe {

struct ContactSheetOptions {
  int64_t max_rows = 12;  // of more classes, some from the first to the last
  int64_t columns = 8;    // the first images of a class
  int64_t side = 112;  // of an image on the sheet, about; small images are enlarged whole-numbered
  uint64_t seed = 0;   // of the augmentation, as in a run's first epoch
};

// uint8 [3, H, W]. Classes without an image are left out. Throws Error if no class has one.
at::Tensor contact_sheet(const Dataset& dataset, const Augmentation& augmentation,
                         const ContactSheetOptions& options);

// The grey levels of a normalised image [C, H, W], which is overwritten: uint8 [3, H, W].
at::Tensor to_levels(at::Tensor image, const DatasetInfo& info);

}  // namespace lethe
