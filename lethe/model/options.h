// The [model] section of a configuration, the list of models, and how a network is made of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/model/network.h"
#include "lethe/model/resnet.h"

namespace lethe {

struct ModelOptions {
  std::string name = "auto";          // one of builtin_models(), or "auto": by the kind of data
  int64_t width = 0;                  // channels of the first stage, 0 = by data set
  std::string stem = "auto";          // imagenet | cifar | cifar_s2, or "auto": by input size
  std::string pretrained;             // a weight file (see weight_file.h), empty = none
  std::optional<bool> channels_last;  // not set = "auto": by width
};

Fields config_fields(ModelOptions& options);

// One line of `lethe list models`.
struct ModelEntry {
  std::string name;
  std::string summary;
  int depth = 0;
};

const std::vector<ModelEntry>& builtin_models();

// What "auto" means where no data set says otherwise.
Stem stem_for_size(int64_t side);
bool channels_last_for_width(int64_t width);

// "cifar_s2" and back. Throws ConfigError for a name that is none.
Stem stem_called(const std::string& name);
std::string stem_name(Stem stem);

// A network without classes, weights drawn from seed, on the CPU. Reads no file: load_weights does
// that. Throws ConfigError if an option is still "auto" or 0.
std::shared_ptr<Network> make_network(const ModelOptions& resolved, int64_t in_channels,
                                      uint64_t seed);

}  // namespace lethe
