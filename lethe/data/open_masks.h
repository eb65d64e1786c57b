// Opens the splits of a segmentation dataset from the lists of its layout.
#pragma once

#include "lethe/data/dataset.h"
#include "lethe/data/mask_files.h"
#include "lethe/data/options.h"

namespace lethe {

// The rules that data.seg_setup and data.void_train select.
MaskRules mask_rules(const DataOptions& options);

// Finds the classes of every mask (find_labels), skips files that cannot be decoded if the options
// select this, and warns about classes without images. Throws DataError.
DataSplits open_masks(const DataOptions& options, MaskLists lists);

}  // namespace lethe
