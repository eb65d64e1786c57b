#include "lethe/model/weight_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "lethe/core/error.h"
#include "lethe/core/safetensors.h"
#include "lethe/model/pth.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// Enough to include the magic bytes of a tar file.
constexpr size_t kHeadBytes = 512;

std::string read_head(const fs::path& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) {
    throw_error<DataError>("{}: is a folder, not a weight file", path.string());
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw_error<DataError>("{}: cannot be opened: {}", path.string(), std::strerror(errno));
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  return head;
}

bool has_at(const std::string& head, size_t offset, std::string_view mark) {
  return head.size() >= offset + mark.size() && head.compare(offset, mark.size(), mark) == 0;
}

bool is_zip(const std::string& head) { return has_at(head, 0, "PK\3\4"); }

// Checks the byte after the length of the header, because the length can have any value.
bool is_safetensors(const std::string& head) { return has_at(head, 8, "{"); }

// Files of torch.save before 1.6 or with _use_new_zipfile_serialization=False (consecutive
// pickles), and before 0.2 (a tar file).
bool is_legacy(const std::string& head) {
  return has_at(head, 0, "\x80\2") || has_at(head, 257, "ustar");
}

}  // namespace

StateDict read_weights(const fs::path& path) {
  const auto head = read_head(path);
  if (is_zip(head)) return read_pth(path);
  if (is_safetensors(head)) return read_safetensors(path);
  if (is_legacy(head)) {
    throw_error<DataError>(
        "{}: is in PyTorch's old format (not zip); convert it: python3 -c \"import torch; "
        "torch.save(torch.load('old.pth', map_location='cpu'), 'new.pth')\"",
        path.string());
  }
  throw_error<DataError>("{}: is neither a safetensors file nor a PyTorch checkpoint",
                         path.string());
}

}  // namespace lethe
