// Creates a prepared dataset (prepared.h): decodes, resizes and stores every image of a dataset of
// image files.
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
  int64_t bytes = 0;  // size of all pixels
};

// Prepares the dataset that options describe, writes it to folder and shows a progress line. The
// folder appears only when it is complete. Until then everything is in a staging folder next to it,
// which is removed on any error. options.prepared is ignored.
// Throws ConfigError if folder exists and is not empty or if the dataset has no image files, and
// Interrupted if asked to stop. Throws DataError for an image that cannot be decoded, unless
// options.undecodable is "skip".
PrepareReport prepare_images(const DataOptions& options, const std::filesystem::path& folder,
                             const PrepareOptions& how);

}  // namespace lethe
