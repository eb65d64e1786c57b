// Which class ids stand in each mask of a set: needed before training, to choose the images of a
// task. Reading all masks takes a while, so the answer is kept in a file of the user's cache
// (XDG_CACHE_HOME, else ~/.cache) and asked again only for masks whose size or time has changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lethe/data/mask_file.h"

namespace lethe {

struct MaskClasses {
  std::vector<int64_t> ids;  // ascending, as read_mask gives them: background and void included
  std::string flaw;          // why the mask cannot be decoded, naming it; else empty
};

// One entry per mask. Reads what is not in cache_file on `threads` threads with a progress line,
// and writes the file anew if something was read (empty = no cache; a folder that cannot be written
// is no error). Throws DataError for a mask of the wrong kind, Interrupted if a signal asks to
// stop.
std::vector<MaskClasses> classes_of_masks(const std::vector<std::filesystem::path>& masks,
                                          const ColourTable& colours, int threads,
                                          const std::filesystem::path& cache_file);

// Where the classes of a data set's masks are kept; empty if there is no home for it. Another
// folder or another colour table has another file.
std::filesystem::path mask_cache_file(const std::filesystem::path& root,
                                      const ColourTable& colours);

}  // namespace lethe
