// Putting stored tensors into a network: loosely, from a file of pretrained weights that fits the
// backbone, or strictly, from a checkpoint that must fit entry by entry.
//
// Both compare everything first and change nothing if they throw.
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
  std::string in_network;  // "[64, 1, 7, 7]", with the type where that is the difference
  std::string in_file;
};

// How a file and a network fit. Sorted by name.
struct WeightReport {
  std::vector<WeightEntry> loaded;
  std::vector<WeightEntry> missing;        // in the network only: keep their first values
  std::vector<WeightEntry> unexpected;     // in the file only: not used
  std::vector<WeightMismatch> mis_shaped;  // in both, but different: keep their first values

  // Nothing but the heads keeps its first values.
  bool backbone_complete() const;
};

// Copies every entry that has the same name and shape, converting between floating types. Heads are
// never taken from a file: they belong to the classes of another run. Throws DataError if nothing
// fits at all.
WeightReport load_weights(Network& network, const StateDict& weights, const std::string& file);

// One line for the log: what was loaded, what starts fresh and why, what was not used.
std::string summary(const WeightReport& report, const std::string& file);

// Copies a checkpoint's state into the module. Every name must be on both sides, with the same
// shape and type; otherwise throws DataError, naming origin and what does not fit.
void load_state(torch::nn::Module& module, const StateDict& state, const std::string& origin);

}  // namespace lethe
