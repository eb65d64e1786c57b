// What a run is: by which configuration, on which data, from which weights. A record carries it, so
// that a later suite knows whether the run would come out the same.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "lethe/data/dataset.h"
#include "lethe/run/run_config.h"

namespace lethe {

struct RunIdentity {
  // Resolved, by key, as TOML values; without the sections of other methods, what cannot change a
  // result, and where files lie (of a path the last part stands).
  std::map<std::string, std::string> config;
  std::string data;     // hash of training, held-out and test images
  std::string weights;  // hash of model.pretrained, empty without one

  std::string config_hash() const;
};

// config: resolved.
RunIdentity identity_of(RunConfig& config, const DataSplits& data);

// Why a run with the identity `now` would differ from the recorded one, or nothing. Keys that the
// recorded one does not know are newer than it: they are passed over.
std::optional<std::string> difference(const RunIdentity& recorded, const RunIdentity& now);

}  // namespace lethe
