// The channels-last memory layout (NHWC), in which narrow networks are faster. Results are the same
// up to rounding.
#pragma once

#include <torch/nn/module.h>

namespace lethe {

// Returns a map or kernel [*, C, H, W] in channels-last layout. Tensors with another number of
// dimensions are returned unchanged.
at::Tensor to_channels_last(const at::Tensor& map);

// Converts every convolution kernel of the module.
void use_channels_last(torch::nn::Module& module);

}  // namespace lethe
