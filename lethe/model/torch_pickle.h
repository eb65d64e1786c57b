// The pickle inside a PyTorch checkpoint: plain values, and tensors that refer to storages in other
// files of the archive. Built on core/pickle.h, so nothing in a file is ever run.
#pragma once

#include <ATen/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lethe/core/pickle.h"

namespace lethe {

// A tensor as the pickle describes it: a view of a storage. Nothing is checked against the storage.
struct TensorParts {
  at::ScalarType type = at::kFloat;
  std::string storage;  // its file in the archive is "data/<storage>"
  int64_t offset = 0;   // in elements
  std::vector<int64_t> sizes, strides;
};

// Allowed are None, bool, int (64 bits), float, text, tuple, list, dict, OrderedDict, and dense
// tensors and parameters of bool, integer and real types. Throws DataError, without the file name,
// for anything else and for a damaged pickle.
PicklePtr read_torch_pickle(std::string_view bytes);

// The parts of a tensor or parameter; std::nullopt for other values. Throws DataError if its parts
// are not those of a tensor.
std::optional<TensorParts> tensor_parts(const PickleValue& value);

}  // namespace lethe
