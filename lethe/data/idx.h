// Reads the idx format of MNIST and related datasets: a big-endian header, then unsigned bytes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>

namespace lethe {

// Reads a file of unsigned bytes with rank dimensions (labels: 1, images: 3), plain or compressed
// with gzip, as a uint8 tensor with the dimensions in its header. Throws DataError if the header is
// wrong or does not match the length of the file. The message names the file, the expected value
// and the value found.
at::Tensor read_idx(const std::filesystem::path& path, int64_t rank);

}  // namespace lethe
