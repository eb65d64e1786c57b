// Reading weights that PyTorch wrote: torch.save's zip format, since PyTorch 1.6 its only one.
//
// The file is read by LibTorch's own zip reader and unpickler, behind the whitelist of
// torch_pickle.h: nothing in a file is ever run. Everything that depends on LibTorch's
// serialisation stands in pth.cpp.
#pragma once

#include <filesystem>

#include "lethe/core/state_dict.h"

namespace lethe {

// The tensors of a state_dict, dense, contiguous, on the CPU, sharing no memory.
//
// The state_dict is the file's outermost dict or, if that has one of these keys with a dict below
// it (the first counts): state_dict, model_state_dict, model. Entries that are no tensors are left
// out. Prefixes that wrappers put before every name are taken off: "module." (several devices) and
// "_orig_mod." (torch.compile).
//
// Throws DataError, in one line, for everything else: a damaged file, a TorchScript program, a
// whole module, a file without tensors, a tensor that reaches beyond its storage.
StateDict read_pth(const std::filesystem::path& path);

}  // namespace lethe
