#include "lethe/data/image_flaw.h"

#include <zlib.h>

#include <cstdint>

namespace lethe {

namespace {

uint8_t byte_at(std::string_view bytes, size_t place) { return static_cast<uint8_t>(bytes[place]); }

uint64_t big_endian(std::string_view bytes, size_t place, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | byte_at(bytes, place + i);
  return value;
}

uint64_t little_endian(std::string_view bytes, size_t place, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i > 0; --i) value = value << 8 | byte_at(bytes, place + i - 1);
  return value;
}

constexpr uint8_t kJpegEnd = 0xD9;
constexpr uint8_t kJpegScan = 0xDA;
bool is_restart(uint8_t marker) { return marker >= 0xD0 && marker <= 0xD7; }

// The position of the first marker after the data of a scan: a 0xFF that is not followed by 0, by
// padding or by a restart marker.
size_t end_of_scan(std::string_view bytes, size_t place) {
  for (; place + 1 < bytes.size(); ++place) {
    const uint8_t next = byte_at(bytes, place + 1);
    const bool is_data = next == 0 || next == 0xFF || is_restart(next);
    if (byte_at(bytes, place) == 0xFF && !is_data) break;
  }
  return place;
}

// Walks from segment to segment and skips bytes between segments, as decoders do.
bool jpeg_is_whole(std::string_view bytes) {
  size_t place = 2;
  while (place + 1 < bytes.size()) {
    const uint8_t marker = byte_at(bytes, place + 1);
    if (byte_at(bytes, place) != 0xFF || marker == 0xFF) {
      ++place;
      continue;
    }
    if (marker == kJpegEnd) return true;
    place += 2;
    if (marker <= 1 || is_restart(marker)) continue;  // markers without a length
    if (place + 1 >= bytes.size()) return false;
    place += big_endian(bytes, place, 2);
    if (marker == kJpegScan) place = end_of_scan(bytes, place);
  }
  return false;
}

// Checks the chunks (length, type, data, checksum) up to IEND. A type that starts in lower case
// marks an optional chunk, whose checksum is not checked.
std::string png_flaw(std::string_view bytes) {
  size_t place = 8;
  while (place + 12 <= bytes.size()) {
    const uint64_t length = big_endian(bytes, place, 4);
    if (length > bytes.size() - place - 12) break;
    const auto type = bytes.substr(place + 4, 4);
    const auto summed = bytes.substr(place + 4, 4 + length);
    const bool is_needed = (byte_at(type, 0) & 0x20) == 0;
    const auto sum =
        ::crc32(0, reinterpret_cast<const Bytef*>(summed.data()), static_cast<uInt>(summed.size()));
    if (is_needed && sum != big_endian(bytes, place + 8 + length, 4)) return "the PNG is damaged";
    if (type == "IEND") return "";
    place += 12 + length;
  }
  return "the PNG is cut off";
}

bool webp_is_whole(std::string_view bytes) {
  return bytes.size() >= 12 && little_endian(bytes, 4, 4) + 8 <= bytes.size() + 1;  // + padding
}

// Checks only uncompressed files; the length of compressed data is known only after decoding.
bool bmp_is_whole(std::string_view bytes) {
  if (bytes.size() < 34) return false;
  const uint64_t start = little_endian(bytes, 10, 4);
  const uint64_t header = little_endian(bytes, 14, 4);
  if (header < 40 || little_endian(bytes, 30, 4) != 0) return true;
  const uint64_t width = little_endian(bytes, 18, 4);
  const auto height = static_cast<int32_t>(little_endian(bytes, 22, 4));  // < 0: top-down
  const auto rows = static_cast<uint64_t>(height < 0 ? -int64_t{height} : int64_t{height});
  const uint64_t row_bytes = (width * little_endian(bytes, 28, 2) + 31) / 32 * 4;
  return start <= bytes.size() && row_bytes * rows <= bytes.size() - start;
}

}  // namespace

std::string image_flaw(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xD8\xFF")) return jpeg_is_whole(bytes) ? "" : "the JPEG is cut off";
  if (bytes.starts_with("\x89PNG\r\n\x1A\n")) return png_flaw(bytes);
  if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP")) {
    return webp_is_whole(bytes) ? "" : "the WebP is cut off";
  }
  if (bytes.starts_with("BM")) return bmp_is_whole(bytes) ? "" : "the BMP is cut off";
  return "";
}

}  // namespace lethe
