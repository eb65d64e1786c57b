#include "lethe/model/options.h"

#include <array>

#include "lethe/core/error.h"
#include "lethe/core/nearest.h"
#include "lethe/model/classifier.h"

namespace lethe {

namespace {

struct StemName {
  Stem stem;
  const char* name;
};

constexpr std::array<StemName, 3> kStems = {
    {{Stem::kImagenet, "imagenet"}, {Stem::kCifar, "cifar"}, {Stem::kCifarS2, "cifar_s2"}}};

std::vector<std::string> stem_names() {
  std::vector<std::string> names;
  for (const auto& known : kStems) names.emplace_back(known.name);
  return names;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& model : builtin_models()) names.push_back(model.name);
  return names;
}

std::vector<std::string> with_auto(std::vector<std::string> names) {
  names.insert(names.begin(), "auto");
  return names;
}

int depth_of(const std::string& name) {
  for (const auto& model : builtin_models()) {
    if (model.name == name) return model.depth;
  }
  throw_error<ConfigError>("model.name: unknown model '{}'{}", name,
                           choose_from(name, model_names()));
}

}  // namespace

Fields config_fields(ModelOptions& options) {
  return {
      {"model.name",
       &options.name,
       "the network; auto = resnet18 for images",
       {},
       with_auto(model_names())},
      {"model.width", &options.width,
       "channels of the first stage; 0 = 16 for fashion_mnist and shapes, else 64", at_least(0)},
      {"model.stem",
       &options.stem,
       "first layers: 7x7 and pooling, 3x3, or 3x3 with stride 2; auto = by input size",
       {},
       with_auto(stem_names())},
      {"model.pretrained",
       &options.pretrained,
       "a weight file with torchvision's names: safetensors, or PyTorch's .pth (zip format); empty "
       "= "
       "start from scratch",
       {},
       {},
       true},
      {"model.channels_last", &options.channels_last,
       "memory layout: faster for narrow networks; auto = by width"},
  };
}

const std::vector<ModelEntry>& builtin_models() {
  static const std::vector<ModelEntry> models = {
      {"resnet18", "basic blocks, 11.2 million parameters at width 64, 512 features", 18},
      {"resnet34", "basic blocks, 21.3 million parameters at width 64, 512 features", 34},
      {"resnet50", "bottlenecks, 23.5 million parameters at width 64, 2048 features", 50},
      {"resnet101", "bottlenecks, 42.5 million parameters at width 64, 2048 features", 101},
  };
  return models;
}

Stem stem_for_size(int64_t side) {
  // Above 48 the stem's quarter still leaves layer4 more than one position.
  return side <= 48 ? Stem::kCifar : Stem::kImagenet;
}

bool channels_last_for_width(int64_t width) {
  // Training a ResNet-18 on 32x32 images (LibTorch 1.13, AVX2, one thread): 14 to 38 % faster at
  // width 16, even at 32 and 64 within what repeats differ by.
  return width < 32;
}

Stem stem_called(const std::string& name) {
  for (const auto& known : kStems) {
    if (name == known.name) return known.stem;
  }
  throw_error<ConfigError>("model.stem: unknown stem '{}'{}", name,
                           choose_from(name, stem_names()));
}

std::string stem_name(Stem stem) {
  for (const auto& known : kStems) {
    if (stem == known.stem) return known.name;
  }
  throw Error("a stem without a name");
}

std::shared_ptr<Network> make_network(const ModelOptions& resolved, int64_t in_channels,
                                      uint64_t seed) {
  if (resolved.width < 1) {
    throw_error<ConfigError>("model.width = {}: must be above 0 by now", resolved.width);
  }
  const ImageClassifierOptions options = {
      .backbone = {.depth = depth_of(resolved.name),
                   .width = resolved.width,
                   .stem = stem_called(resolved.stem),
                   .in_channels = in_channels},
      .channels_last = resolved.channels_last.value_or(channels_last_for_width(resolved.width))};
  return std::make_shared<ImageClassifier>(options, seed);
}

}  // namespace lethe
