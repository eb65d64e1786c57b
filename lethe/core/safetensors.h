// Named tensors in a file that any tool can read: the safetensors format (8 bytes of header length,
// a JSON header, the raw values). Weights come in this way and checkpoints go out.
//
// A file is believed nothing: length, header, types, shapes and offsets are checked before a value
// is read, and every fault is a DataError that names the file and the entry. Values are
// little-endian. Tensors come out on the CPU.
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

// The file as bytes. The same tensors and metadata give the same bytes, whatever device, strides or
// gradients they have. Throws Error for what the format or this program cannot hold: a tensor that
// is undefined or of another type than F16, BF16, F32, F64, I64, I32, U8, BOOL, or a name that is
// "__metadata__" or not UTF-8.
std::string safetensors_bytes(const StateDict& state, const SafetensorsMetadata& metadata = {});

// Writes safetensors_bytes to a new file and fsyncs it. Throws Error (disk full, no permission).
void write_safetensors(const std::filesystem::path& path, const StateDict& state,
                       const SafetensorsMetadata& metadata = {});

struct SafetensorsEntry {
  at::ScalarType dtype = at::kFloat;
  std::vector<int64_t> shape;  // empty: one number
  uint64_t begin = 0;          // of its bytes, counted from the end of the header
  uint64_t end = 0;
};

// A file that has passed every check. Not thread-safe.
class SafetensorsFile {
 public:
  // Reads and checks the header. Throws DataError.
  explicit SafetensorsFile(std::filesystem::path path);

  const std::map<std::string, SafetensorsEntry>& entries() const { return entries_; }
  const SafetensorsMetadata& metadata() const { return metadata_; }

  // The values of one entry. Throws DataError if there is none of that name, or reading fails.
  at::Tensor read(const std::string& name);

  // The values of all entries.
  StateDict read_all();

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path path_;
  std::ifstream file_;
  uint64_t data_start_ = 0;  // of the file: 8 + header
  std::map<std::string, SafetensorsEntry> entries_;
  SafetensorsMetadata metadata_;
};

// Everything in the file. Throws DataError.
StateDict read_safetensors(const std::filesystem::path& path);

}  // namespace lethe
