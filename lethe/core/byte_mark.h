// Marks of byte sequences that must not be found in any file, for instance the classifier row of an
// erased class. A mark does not reveal the bytes. Written by hand, because no library of Debian
// searches files for hashes of unknown position.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lethe {

struct ByteMark {
  int64_t bytes = 0;     // length of the sequence
  uint64_t rolling = 0;  // a rolling hash, to find candidates in one pass
  std::string sha256;    // confirms a candidate

  bool operator==(const ByteMark&) const = default;
};

ByteMark mark_of(std::span<const uint8_t> bytes);

// The indices of the marks whose bytes occur in the file, ascending. Reads the file once for every
// length of marks. Throws DataError if it cannot be read.
std::vector<size_t> find_marks(const std::filesystem::path& file,
                               const std::vector<ByteMark>& marks);

}  // namespace lethe
