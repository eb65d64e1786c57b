// The idx format of MNIST and its relatives: a big-endian header, then unsigned bytes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>

namespace lethe {

// Reads a file of unsigned bytes with rank dimensions (labels: 1, images: 3), plain or compressed
// by gzip, as a uint8 tensor of the dimensions in its header. Throws DataError, naming the file,
// what was expected and what was found, if the header is another one or the length differs from
// what it says.
at::Tensor read_idx(const std::filesystem::path& path, int64_t rank);

}  // namespace lethe
