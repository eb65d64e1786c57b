// The class ids in each mask of a dataset. They are needed before training, to select the images of
// a task. Reading all masks takes a while, so the result is cached in a file (in XDG_CACHE_HOME or
// ~/.cache). Only masks whose size or modification time has changed are read again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lethe/data/mask_file.h"

namespace lethe {

struct MaskClasses {
  std::vector<int64_t> ids;  // ascending, as read_mask returns them, including background and void
  std::string flaw;          // why the mask cannot be decoded, with its path; otherwise empty
};

// One entry per mask. Masks that are not in cache_file are read on `threads` threads with a
// progress line, and the file is updated. An empty cache_file means no cache; a cache that cannot
// be written is not an error. Throws DataError for a mask of the wrong kind, Interrupted if a
// signal asks to stop.
std::vector<MaskClasses> classes_of_masks(const std::vector<std::filesystem::path>& masks,
                                          const ColourTable& colours, int threads,
                                          const std::filesystem::path& cache_file);

// The cache file for a dataset's masks; empty if there is no cache folder. It depends on the folder
// and on the colour table.
std::filesystem::path mask_cache_file(const std::filesystem::path& root,
                                      const ColourTable& colours);

}  // namespace lethe
