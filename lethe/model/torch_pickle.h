// The pickle inside a PyTorch checkpoint, checked and rewritten for LibTorch's unpickler.
//
// A pickle is a program for a stack machine that may name any function of Python. LibTorch's
// unpickler (1.13 to 2.x) runs no Python, but it cannot be handed a file as it comes:
// - it makes nothing of a collections.OrderedDict, which is what every state_dict() is, and fails
//   on the attribute _metadata that comes with it (BUILD);
// - it does not know _rebuild_parameter, lists of one item, and integers of other than eight bytes;
// - it trusts the counts in the file and reads beyond its stack where they are wrong.
// So the opcodes are walked once, with the kind of every value on the stack, and written again in
// forms that it reads. What is not known here never reaches it: that is the whitelist.
#pragma once

#include <string>
#include <string_view>

namespace lethe {

// The same values for torch::jit::Unpickler. An OrderedDict becomes a dict without attributes, a
// parameter the tuple (tensor, requires_grad, hooks).
//
// Allowed are None, bool, int (64 bits), float, text, tuple, list, dict, OrderedDict, parameters,
// and dense tensors of bool, integer and real types. Anything else is a DataError that names it; so
// is a damaged pickle. Messages do not name the file: the caller knows it.
std::string checked_pickle(std::string_view pickle);

}  // namespace lethe
