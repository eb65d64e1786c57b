// First values of weights, each drawn from (seed, name): a weight does not depend on what else was
// drawn, on the order of construction, or on the version of LibTorch, whose generator is not used.
//
// The tensor may be on any device and of any floating type and strides; values follow its
// row-major order. No gradients are recorded.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace lethe {

// Normal with deviation sqrt(2 / (fan_in + fan_out)). weight: [out, in] or [out, in, kh, kw].
void xavier_normal_(const at::Tensor& weight, uint64_t seed, std::string_view name);

// Normal with deviation sqrt(2 / fan_out), for convolutions that a ReLU follows.
void kaiming_normal_(const at::Tensor& weight, uint64_t seed, std::string_view name);

// Uniform in [-bound, bound). Any shape.
void uniform_(const at::Tensor& tensor, double bound, uint64_t seed, std::string_view name);

// kaiming_normal_ for every kernel of the module, by prefix + its name.
void init_kaiming(const torch::nn::Module& module, uint64_t seed, const std::string& prefix);

// Every parameter of the module by prefix + its name: matrices and kernels Xavier-normal
// (specification 3.1), batch norm as it is built: weight 1, bias 0.
void init_parameters(const torch::nn::Module& module, uint64_t seed,
                     const std::string& prefix = "");

}  // namespace lethe
