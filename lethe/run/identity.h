// The identity of a run: its configuration, data and weights. Records contain it, so that a later
// suite can tell whether the run would give the same result.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "lethe/data/dataset.h"
#include "lethe/run/run_config.h"

namespace lethe {

struct RunIdentity {
  // Resolved TOML values by key, without the sections of other methods and without keys that cannot
  // change a result. Paths are reduced to their last component.
  std::map<std::string, std::string> config;
  std::string data;     // hash of training, held-out and test images
  std::string weights;  // hash of model.pretrained; empty = none

  std::string config_hash() const;
};

// The values of the keys that can change a result, as TOML. config must be resolved.
std::map<std::string, std::string> acting_values(RunConfig& config);

// config must be resolved.
RunIdentity identity_of(RunConfig& config, const DataSplits& data);

// The reason why a run with the identity `now` would differ from the recorded run; std::nullopt if
// it would not. Keys missing from the record were added later and are ignored.
std::optional<std::string> difference(const RunIdentity& recorded, const RunIdentity& now);

}  // namespace lethe
