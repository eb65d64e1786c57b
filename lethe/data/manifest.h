// The manifest of a dataset: size, modification time and SHA-256 of every file, recorded when a
// model was trained. manifest_changes.h compares it with the files of now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lethe/data/data_file.h"
#include "lethe/data/file_hashes.h"

namespace lethe {

struct ManifestEntry {
  std::string name;  // as in DataFile, and so are split and classes
  std::string split;
  std::vector<std::string> classes;
  int64_t bytes = 0;
  int64_t modified_ns = 0;  // modification time in nanoseconds since 1970
  std::string sha256;

  FileStamp stamp() const { return {.bytes = bytes, .modified_ns = modified_ns}; }
  bool operator==(const ManifestEntry&) const = default;
};

class Manifest {
 public:
  Manifest() = default;
  // Sorts the entries by name. Throws Error if two of them have the same name.
  explicit Manifest(std::vector<ManifestEntry> entries);

  const std::vector<ManifestEntry>& entries() const { return entries_; }
  const ManifestEntry* find(const std::string& name) const;  // nullptr if there is none

  // SHA-256 of the name, split, size and hash of all entries. Modification times and classes are
  // not part of it: times change when files are copied, and classes follow from the files.
  std::string root() const;

  // JSON lines: one entry per line.
  std::string to_text() const;
  // Reads to_text(). Throws a DataError that names origin and the line. It cannot tell
  // whether lines are missing; a stored root() can.
  static Manifest parse(const std::string& text, const std::string& origin);

  bool operator==(const Manifest&) const = default;

 private:
  std::vector<ManifestEntry> entries_;
};

// Hashes all files (data_files.h) on `threads` threads, with a progress line if it takes long. A
// file with the same name, size and modification time as in `known` (nullptr = none) is not read;
// its hash is copied. Throws DataError for a file that is missing or cannot be read, Interrupted if
// a signal asks to stop.
Manifest make_manifest(const std::vector<DataFile>& files, const Manifest* known, int threads);

}  // namespace lethe
