// Initial values of weights, each from a generator keyed by (seed, name). A weight does not depend
// on other random draws, on the order of construction, or on the version of LibTorch, whose
// generator is not used.
//
// The tensor may have any device, floating type and strides; values are filled in row-major order.
// No gradients are recorded.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace lethe {

// Normal distribution with standard deviation sqrt(2 / (fan_in + fan_out)). weight: [out, in] or
// [out, in, kh, kw].
void fill_xavier_normal(const at::Tensor& weight, uint64_t seed, std::string_view name);

// Normal distribution with standard deviation sqrt(2 / fan_out), for convolutions followed by a
// ReLU.
void fill_kaiming_normal(const at::Tensor& weight, uint64_t seed, std::string_view name);

// Uniform distribution in [-bound, bound), for any shape.
void fill_uniform(const at::Tensor& tensor, double bound, uint64_t seed, std::string_view name);

// Applies fill_kaiming_normal to every kernel of the module, with the name prefix + parameter name.
void init_kaiming(const torch::nn::Module& module, uint64_t seed, const std::string& prefix);

// Initialises every parameter of the module, with the name prefix + parameter name. Matrices and
// kernels are Xavier-normal (specification 3.1). Batch norm keeps weight 1 and bias 0.
void init_parameters(const torch::nn::Module& module, uint64_t seed,
                     const std::string& prefix = "");

}  // namespace lethe
