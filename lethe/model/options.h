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

  std::string bn = "train";      // batch norm of the first task: train | frozen
  std::string bn_next = "auto";  // of later tasks; "auto": as bn
  double bn_momentum = 0.1;      // of its running statistics

  // Of segmentation networks only: see segmentation_keys().
  std::string backbone = "auto";    // resnet18 ... resnet101
  int64_t head_channels = 0;        // of ASPP and decoder, 0 = by data set
  int64_t output_stride = 0;        // 8 | 16, 0 = by size of the images
  std::string classifier = "auto";  // linear | ssul, "auto": by method
  std::string init = "auto";        // of new classes: default | background | unknown
  std::string aspp = "standard";    // | mib
  std::string aspp_act = "relu";    // of mib: relu | leaky_relu | none
  std::optional<double> dropout;    // behind ASPP; not set = 0.1, for mib 0
};

Fields config_fields(ModelOptions& options);

// The keys that mean nothing to an image classifier.
const std::vector<std::string>& segmentation_keys();

// Throws ConfigError that names the first such key whose value is not the default one.
void refuse_segmentation_keys(ModelOptions& options);

// One line of `lethe list models`.
struct ModelEntry {
  std::string name;
  std::string summary;
  int depth = 0;  // of a classifier; 0 = by model.backbone
  Problem problem = Problem::kImages;
};

const std::vector<ModelEntry>& builtin_models();

// Throws ConfigError for a name that is none.
const ModelEntry& find_model(const std::string& name);

// What "auto" means where no data set says otherwise.
Stem stem_for_size(int64_t side);
bool channels_last_for_width(int64_t width);

// "cifar_s2" and back. Throws ConfigError for a name that is none.
Stem stem_called(const std::string& name);
std::string stem_name(Stem stem);

// How batch norm trains in the first task and in later ones.
NormMode first_norm(const ModelOptions& resolved);
NormMode next_norm(const ModelOptions& resolved);

// A network without classes, weights drawn from seed, on the CPU. Reads no file: load_weights does
// that. Throws ConfigError if an option is still "auto" or 0.
std::shared_ptr<Network> make_network(const ModelOptions& resolved, int64_t in_channels,
                                      uint64_t seed);

}  // namespace lethe
