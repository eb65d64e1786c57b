// Named tensors, sorted by name. Networks, methods and optimisers save and load their state in this
// form.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

namespace lethe {

using StateDict = std::map<std::string, at::Tensor>;

// Adds the entries of part to whole, with a prefix ("ewc.") before their names. part_of() extracts
// them again.
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
