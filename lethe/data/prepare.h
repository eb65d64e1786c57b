// Makes a prepared set (prepared.h): decodes, scales and stores every image of a set of image
// files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "lethe/core/signals.h"
#include "lethe/data/options.h"

namespace lethe {

struct PrepareOptions {
  int threads = 1;
  std::function<bool()> should_stop = stop_requested;
};

struct PrepareReport {
  int64_t train = 0;  // images
  int64_t test = 0;
  int64_t skipped = 0;
  int64_t bytes = 0;  // of pixels
};

// Prepares options' set in folder, with a progress line. The folder appears whole at the end or not
// at all: until then everything is in a staging folder beside it, which is removed on any error.
// options.prepared does not count.
// Throws ConfigError if folder exists and is not empty or if the set has no image files,
// Interrupted if asked to stop, DataError for an image that cannot be decoded unless options say to
// skip it.
PrepareReport prepare_images(const DataOptions& options, const std::filesystem::path& folder,
                             const PrepareOptions& how);

}  // namespace lethe
