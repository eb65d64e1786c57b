// The memory layout that narrow networks are faster in: positions first, channels together. Results
// are the same up to rounding.
#pragma once

#include <torch/nn/module.h>

namespace lethe {

// A map or kernel [*, C, H, W] in that layout; what has other dimensions comes back as it is.
at::Tensor to_channels_last(const at::Tensor& map);

// Every kernel of the module.
void use_channels_last(torch::nn::Module& module);

}  // namespace lethe
