// Named tensors, sorted by name: what networks, methods and optimisers give to a checkpoint and
// take from it.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

namespace lethe {

using StateDict = std::map<std::string, at::Tensor>;

// A state within another: its names there begin with prefix ("ewc.").
inline void add_part(StateDict& whole, const std::string& prefix, const StateDict& part) {
  for (const auto& [name, tensor] : part) whole[prefix + name] = tensor;
}
inline StateDict part_of(const StateDict& whole, const std::string& prefix) {
  StateDict part;
  for (const auto& [name, tensor] : whole) {
    if (name.starts_with(prefix)) part[name.substr(prefix.size())] = tensor;
  }
  return part;
}

}  // namespace lethe
