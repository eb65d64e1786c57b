// The files of a dataset. A manifest (manifest.h) records their hashes, so that `lethe` can say
// later which file was changed, added or removed.
#pragma once

#include <vector>

#include "lethe/data/data_file.h"
#include "lethe/data/options.h"

namespace lethe {

// Every file that load_data() reads for these options, once each, ascending by name: images, masks,
// saliency maps, lists, class names, and files of many images. Generated datasets have none. With
// options.prepared, these are the files in that folder, with names relative to it.
//
// - train_per_class and test_per_class are ignored: all files of both splits are listed.
// - The classes of an image, its mask and its saliency map are the classes in the mask, or
//   background if the mask has no other class. Masks that are not in the cache (mask_classes.h) are
//   decoded. The classes of a mask that cannot be decoded are unknown.
// - Names and classes are valid UTF-8: in all others, bytes from 0x80 on become escapes like \xe9.
//
// Prints no warnings about the dataset, because load_data() does. Throws like load_data() if a list
// is malformed or names a file that does not exist.
std::vector<DataFile> data_files(const DataOptions& options);

}  // namespace lethe
