// Compares a recorded manifest with the files of now: which of them were changed, added, removed or
// moved to another split.
#pragma once

#include <string>
#include <vector>

#include "lethe/data/data_file.h"
#include "lethe/data/manifest.h"

namespace lethe {

struct ManifestChange {
  enum class Kind {
    kChanged,  // other content
    kMissing,  // recorded, but no longer a file of the dataset
    kAdded,    // a file of the dataset that was not recorded
    kMoved,    // the same content, but read for another split
  };
  Kind kind = Kind::kChanged;
  std::string name;
  // The splits and classes that the change affects: those recorded and those of now.
  std::string split;
  std::vector<std::string> classes;

  bool operator==(const ManifestChange&) const = default;
};

// Which files are not read again.
enum class Trust {
  // Files with the recorded size and modification time. Fast, but an edit that keeps the size and
  // restores the time is not found.
  kSizeAndTime,
  // None: every file is read, except if its size differs, which is enough to know.
  kNothing,
};

// The differences between a recorded manifest and the files of now, ascending by name. A file with
// another modification time but the same hash is unchanged. Throws like make_manifest, but not for
// missing files.
std::vector<ManifestChange> changes(const Manifest& recorded, const std::vector<DataFile>& now,
                                    int threads, Trust trust = Trust::kSizeAndTime);

// "cats/12.png was changed"
std::string describe(const ManifestChange& change);

}  // namespace lethe
