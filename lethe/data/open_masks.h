// From the lists of a layout to the parts of a data set with masks.
#pragma once

#include "lethe/data/dataset.h"
#include "lethe/data/mask_files.h"
#include "lethe/data/options.h"

namespace lethe {

// data.seg_setup and data.void_train.
MaskRules mask_rules(const DataOptions& options);

// Finds the classes of every mask (find_labels), leaves out what cannot be decoded if the options
// say so, and warns of classes without an image. Throws DataError.
DataSplits open_masks(const DataOptions& options, MaskLists lists);

}  // namespace lethe
