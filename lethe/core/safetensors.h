// Reads and writes safetensors files: named tensors in a format that many tools can read (8 bytes
// of header length, a JSON header, the raw values). Used for pretrained weights and checkpoints.
//
// Files are not trusted. Length, header, types, shapes and offsets are checked before any value is
// read. Every problem is a DataError that names the file and the entry. Values are little-endian.
// Tensors are on the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "lethe/core/state_dict.h"

namespace lethe {

using SafetensorsMetadata = std::map<std::string, std::string>;

// The file as bytes. The same tensors and metadata give the same bytes, regardless of device,
// strides and gradients. Throws Error for an undefined tensor, for a type other than F16, BF16,
// F32, F64, I64, I32, U8 and BOOL, and for a name that is "__metadata__" or not UTF-8.
std::string safetensors_bytes(const StateDict& state, const SafetensorsMetadata& metadata = {});

// Writes safetensors_bytes to a new file and fsyncs it. Throws Error (disk full, no permission).
void write_safetensors(const std::filesystem::path& path, const StateDict& state,
                       const SafetensorsMetadata& metadata = {});

struct SafetensorsEntry {
  at::ScalarType dtype = at::kFloat;
  std::vector<int64_t> shape;  // empty: a scalar
  uint64_t begin = 0;          // first byte of the values, counted from the end of the header
  uint64_t end = 0;
};

// A file that has passed all checks. Not thread-safe.
class SafetensorsFile {
 public:
  // Reads and checks the header. Throws DataError.
  explicit SafetensorsFile(std::filesystem::path path);

  const std::map<std::string, SafetensorsEntry>& entries() const { return entries_; }
  const SafetensorsMetadata& metadata() const { return metadata_; }

  // The values of one entry. Throws DataError if the entry does not exist or reading fails.
  at::Tensor read(const std::string& name);

  // The values of all entries.
  StateDict read_all();

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path path_;
  std::ifstream file_;
  uint64_t data_start_ = 0;  // offset in the file: 8 + header length
  std::map<std::string, SafetensorsEntry> entries_;
  SafetensorsMetadata metadata_;
};

// The values of all entries of a file. Throws DataError.
StateDict read_safetensors(const std::filesystem::path& path);

}  // namespace lethe
