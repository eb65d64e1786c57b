// Copies stored tensors into a network. load_weights() takes the matching part of a file of
// pretrained weights; load_state() takes a checkpoint that must match in every entry.
//
// Both compare all entries first and change nothing if they throw.
#pragma once

#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "lethe/core/state_dict.h"
#include "lethe/model/network.h"

namespace lethe {

struct WeightEntry {
  std::string name;
  std::string shape;  // "[64, 3, 7, 7]"
};

struct WeightMismatch {
  std::string name;
  std::string in_network;  // "[64, 1, 7, 7]", with the type if only that differs
  std::string in_file;
};

// The result of comparing a file with a network. Lists are sorted by name.
struct WeightReport {
  std::vector<WeightEntry> loaded;
  std::vector<WeightEntry> missing;        // only in the network: keep initial values
  std::vector<WeightEntry> unexpected;     // only in the file: not used
  std::vector<WeightMismatch> mis_shaped;  // in both, but different: keep initial values

  // Whether every entry of the backbone was loaded.
  bool backbone_complete() const;
};

// Copies every entry with the same name and shape, and converts between floating types. Heads are
// never loaded, because they belong to the classes of another run. Throws DataError if no entry
// matches.
WeightReport load_weights(Network& network, const StateDict& weights, const std::string& file);

// One line for the log: loaded entries, entries that keep their initial values and why, and unused
// entries.
std::string summary(const WeightReport& report, const std::string& file);

// Copies the state of a checkpoint into the module. The names, shapes and types of all entries must
// be the same on both sides; otherwise throws DataError with origin and the entries that differ.
void load_state(torch::nn::Module& module, const StateDict& state, const std::string& origin);

}  // namespace lethe
