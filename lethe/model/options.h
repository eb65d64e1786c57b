// The [model] section of a configuration, the list of models, and the factory that builds a network
// from them.
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
  std::string name = "auto";          // one of builtin_models(); auto depends on the problem
  std::optional<int64_t> width;       // channels of the first stage; unset or 0 = by dataset
  std::string stem = "auto";          // imagenet | cifar | cifar_s2; auto depends on the input size
  std::string pretrained;             // a weight file (see weight_file.h), empty = none
  std::optional<bool> channels_last;  // unset = chosen by width

  std::string bn = "train";      // batch norm in the first task: train | frozen
  std::string bn_next = "auto";  // batch norm in later tasks; auto = bn
  double bn_momentum = 0.1;      // momentum of the running statistics

  // Segmentation networks only; see segmentation_keys().
  std::string backbone = "auto";    // resnet18 ... resnet101
  int64_t head_channels = 0;        // channels of ASPP and decoder; 0 = the default of the dataset
  int64_t output_stride = 0;        // 8 | 16; 0 = chosen by input size
  std::string classifier = "auto";  // linear | ssul; auto depends on the method
  std::string init = "auto";        // initialisation of new classes: default | background | unknown
  std::string aspp = "standard";    // standard | mib
  std::string aspp_act = "relu";    // activation in mib: relu | leaky_relu | none
  std::optional<double> dropout;    // after ASPP; unset = 0.1 (mib: 0)
};

Fields config_fields(ModelOptions& options);

// Keys that only apply to segmentation networks.
const std::vector<std::string>& segmentation_keys();

// Throws ConfigError naming the first segmentation key with a non-default value.
void refuse_segmentation_keys(ModelOptions& options);

// One entry of `lethe list models`.
struct ModelEntry {
  std::string name;
  std::string summary;
  int depth = 0;  // ResNet depth of a classifier; 0 = the depth of model.backbone
  Problem problem = Problem::kImages;
};

const std::vector<ModelEntry>& builtin_models();

// Throws ConfigError for an unknown name.
const ModelEntry& find_model(const std::string& name);

// What "auto" stands for, unless the dataset overrides it.
Stem stem_for_size(int64_t side);
bool channels_last_for_width(int64_t width);

// Converts between a stem and its name ("cifar_s2"). Throws ConfigError for an unknown name.
Stem stem_called(const std::string& name);
std::string stem_name(Stem stem);

// Batch norm mode in the first task and in later tasks.
NormMode first_norm(const ModelOptions& resolved);
NormMode next_norm(const ModelOptions& resolved);

// Creates a network without classes on the CPU, with random weights from seed. Does not load
// pretrained weights; see load_weights. Throws ConfigError if an option is still "auto" or 0.
std::shared_ptr<Network> make_network(const ModelOptions& resolved, int64_t in_channels,
                                      uint64_t seed);

}  // namespace lethe
