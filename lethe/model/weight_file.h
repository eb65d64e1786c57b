// Weights from a file of any known format: safetensors, or what torch.save wrote.
#pragma once

#include <filesystem>

#include "lethe/core/state_dict.h"

namespace lethe {

// The format is told by the first bytes, not by the name. Throws DataError if it is none that can
// be read; for PyTorch's old formats the message has the line that converts them.
StateDict read_weights(const std::filesystem::path& path);

}  // namespace lethe
