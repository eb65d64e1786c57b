// Reads weights written by PyTorch: torch.save's zip format, the default since PyTorch 1.6.
//
// LibTorch reads the zip file, torch_pickle.h the pickle in it: nothing in a file is ever run. All
// code that depends on LibTorch's serialisation is in pth.cpp.
#pragma once

#include <filesystem>

#include "lethe/core/state_dict.h"

namespace lethe {

// The tensors of a state_dict, dense, contiguous, on the CPU, sharing no memory.
//
// The state_dict is the file's outermost dict, or the dict under the first of these keys that it
// has: state_dict, model_state_dict, model. Entries that are not tensors are skipped. Prefixes that
// wrappers add to every name are removed: "module." (several devices) and "_orig_mod."
// (torch.compile).
//
// Throws DataError, in one line, for everything else: a damaged file, a TorchScript program, a
// whole module, a file without tensors, a tensor that reaches beyond its storage.
StateDict read_pth(const std::filesystem::path& path);

}  // namespace lethe
