#include "lethe/data/webp_orientation.h"

#include <cstddef>
#include <cstdint>

namespace lethe {

namespace {

uint32_t number(std::string_view bytes, size_t place, size_t count, bool big_endian) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = place + (big_endian ? i : count - 1 - i);
    value = value << 8 | static_cast<uint8_t>(bytes[at]);
  }
  return value;
}

// exif: a TIFF header and the first directory, whose entries are 12 bytes long.
int orientation_in(std::string_view exif) {
  constexpr uint32_t kOrientation = 0x0112;
  if (exif.starts_with(std::string_view("Exif\0\0", 6))) exif.remove_prefix(6);
  if (exif.size() < 8) return 1;
  const bool big = exif.starts_with("MM");
  const size_t directory = number(exif, 4, 4, big);
  if (directory > exif.size() - 2) return 1;
  const size_t entries = number(exif, directory, 2, big);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (entry + 12 > exif.size()) break;
    if (number(exif, entry, 2, big) != kOrientation) continue;
    const auto value = static_cast<int>(number(exif, entry + 8, 2, big));
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

}  // namespace

int webp_orientation(std::string_view bytes) {
  if (!bytes.starts_with("RIFF") || bytes.size() < 12 || bytes.substr(8, 4) != "WEBP") return 1;
  // A chunk has a name, a length, as many bytes, and a padding byte if the length is odd.
  for (size_t place = 12; place + 8 <= bytes.size();) {
    const size_t length = number(bytes, place + 4, 4, false);
    if (length > bytes.size() - place - 8) break;
    if (bytes.substr(place, 4) == "EXIF") return orientation_in(bytes.substr(place + 8, length));
    place += 8 + length + length % 2;
  }
  return 1;
}

}  // namespace lethe
