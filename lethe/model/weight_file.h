// Reads weight files: safetensors, or files written by torch.save.
#pragma once

#include <filesystem>

#include "lethe/core/state_dict.h"

namespace lethe {

// Detects the format from the first bytes, not from the file name. Throws DataError if the format
// is not supported; for PyTorch's old formats the message contains a command that converts the
// file.
StateDict read_weights(const std::filesystem::path& path);

}  // namespace lethe
