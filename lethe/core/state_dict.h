// Named tensors, sorted by name: what networks, methods and optimisers give to a checkpoint and
// take from it.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

namespace lethe {

using StateDict = std::map<std::string, at::Tensor>;

}  // namespace lethe
