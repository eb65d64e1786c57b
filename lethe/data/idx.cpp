#include "lethe/data/idx.h"

#include <ATen/ATen.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "lethe/core/error.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// zlib also reads uncompressed files.
class GzFile {
 public:
  explicit GzFile(const fs::path& path) : path_(path.string()) {
    if (!fs::is_regular_file(path)) throw_error<DataError>("{}: no such file", path_);
    file_ = gzopen(path.c_str(), "rb");
    if (file_ == nullptr) {
      throw_error<DataError>("{}: cannot be opened: {}", path_, std::strerror(errno));
    }
  }
  ~GzFile() { gzclose_r(file_); }
  GzFile(const GzFile&) = delete;
  GzFile& operator=(const GzFile&) = delete;

  // Reads up to `bytes` bytes; fewer at the end of the file.
  uint64_t read(uint8_t* out, uint64_t bytes) {
    constexpr uint64_t kChunk = uint64_t{1} << 26;  // gzread takes an unsigned int
    uint64_t done = 0;
    while (done < bytes) {
      const auto wanted = static_cast<unsigned>(std::min(kChunk, bytes - done));
      const int got = gzread(file_, out + done, wanted);
      if (got <= 0) {
        require_no_error();
        break;
      }
      done += static_cast<uint64_t>(got);
    }
    return done;
  }

  // Whether the file ends within the compressed stream.
  bool cut() const { return cut_; }
  bool compressed() { return gzdirect(file_) == 0; }

 private:
  void require_no_error() {
    int code = Z_OK;
    const char* text = gzerror(file_, &code);
    cut_ = code == Z_BUF_ERROR;
    if (code == Z_OK || code == Z_STREAM_END || cut_) return;
    std::string_view reason = code == Z_ERRNO ? std::strerror(errno) : text;
    if (reason.starts_with(path_ + ": ")) reason.remove_prefix(path_.size() + 2);  // zlib adds it
    throw_error<DataError>("{}: damaged: {}", path_, reason);
  }

  std::string path_;
  gzFile file_ = nullptr;
  bool cut_ = false;
};

uint32_t big_endian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

at::Tensor read_idx(const fs::path& path, int64_t rank) {
  GzFile file(path);
  std::vector<uint8_t> header(4 + 4 * static_cast<size_t>(rank));
  const uint64_t header_bytes = file.read(header.data(), header.size());
  if (header_bytes < header.size()) {
    throw_error<DataError>("{}: truncated: expected a header of {} bytes, found {}", path.string(),
                           header.size(), header_bytes);
  }
  constexpr uint32_t kUnsignedBytes = 0x0800;
  const uint32_t magic = kUnsignedBytes | static_cast<uint32_t>(rank);
  if (big_endian(header.data()) != magic) {
    throw_error<DataError>(
        "{}: not an idx file of {} dimension{}: expected 0x{:08x}, found 0x{:08x}", path.string(),
        rank, rank == 1 ? "" : "s", magic, big_endian(header.data()));
  }

  // Before memory is allocated: check that the file can contain as much data as the header
  // declares. Deflate compresses at most 1032 bytes into one.
  const uint64_t on_disk = fs::file_size(path);
  const uint64_t limit = file.compressed() ? on_disk * 1032 : on_disk;
  std::vector<int64_t> sizes;
  uint64_t total = 1;
  for (size_t i = 4; i < header.size(); i += 4) {
    const uint64_t size = big_endian(header.data() + i);
    if (size == 0) throw_error<DataError>("{}: its header declares an empty array", path.string());
    if (total > limit / size) {
      throw_error<DataError>(
          "{}: its header declares more data than a file of {} bytes can contain", path.string(),
          on_disk);
    }
    total *= size;
    sizes.push_back(static_cast<int64_t>(size));
  }

  auto values = at::empty(sizes, at::kByte);
  const uint64_t found = file.read(values.data_ptr<uint8_t>(), total);
  if (found < total) {
    throw_error<DataError>("{}: truncated: expected {} bytes after the header, found {}",
                           path.string(), total, found);
  }
  // Reading past the end also makes zlib check the checksum of the stream.
  if (uint8_t more = 0; file.read(&more, 1) > 0) {
    throw_error<DataError>("{}: too long: expected {} bytes after the header, found more",
                           path.string(), total);
  }
  if (file.cut())
    throw_error<DataError>("{}: truncated: its checksum at the end is missing", path.string());
  return values;
}

}  // namespace lethe
