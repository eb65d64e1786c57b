#include "lethe/model/options.h"

#include <algorithm>
#include <array>

#include "lethe/core/error.h"
#include "lethe/core/nearest.h"
#include "lethe/model/classifier.h"
#include "lethe/model/segmenter.h"

namespace lethe {

namespace {

constexpr const char* kDeepLabPlus = "deeplabv3plus";
constexpr const char* kDeepLab = "deeplabv3";

template <typename Value>
struct Named {
  Value value;
  const char* name;
};

constexpr std::array<Named<Stem>, 3> kStems = {
    {{Stem::kImagenet, "imagenet"}, {Stem::kCifar, "cifar"}, {Stem::kCifarS2, "cifar_s2"}}};
constexpr std::array<Named<PixelHeadKind>, 2> kClassifiers = {
    {{PixelHeadKind::kLinear, "linear"}, {PixelHeadKind::kSsul, "ssul"}}};
constexpr std::array<Named<NewClassInit>, 3> kInits = {{{NewClassInit::kDefault, "default"},
                                                        {NewClassInit::kBackground, "background"},
                                                        {NewClassInit::kUnknown, "unknown"}}};
constexpr std::array<Named<AsppKind>, 2> kAspps = {
    {{AsppKind::kStandard, "standard"}, {AsppKind::kMib, "mib"}}};
constexpr std::array<Named<Activation>, 3> kActivations = {{{Activation::kRelu, "relu"},
                                                            {Activation::kLeakyRelu, "leaky_relu"},
                                                            {Activation::kNone, "none"}}};
constexpr std::array<Named<bool>, 2> kFreezing = {{{false, "train"}, {true, "frozen"}}};

template <typename Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& known : table) names.emplace_back(known.name);
  return names;
}

// Looks up the value for a name in a table.
template <typename Table>
auto value_of(const Table& table, const char* key, const std::string& name) {
  for (const auto& known : table) {
    if (name == known.name) return known.value;
  }
  throw_error<ConfigError>("{}: unknown value '{}'{}", key, name,
                           choose_from(name, names_of(table)));
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

std::vector<std::string> backbone_names() {
  std::vector<std::string> names;
  for (const auto& model : builtin_models()) {
    if (model.problem == Problem::kImages) names.push_back(model.name);
  }
  return names;
}

int depth_of_backbone(const std::string& name) {
  const auto names = backbone_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw_error<ConfigError>("model.backbone: unknown backbone '{}'{}", name,
                             choose_from(name, names));
  return find_model(name).depth;
}

NormMode norm_mode(const char* key, const std::string& mode, const ModelOptions& resolved) {
  return {.frozen = value_of(kFreezing, key, mode), .momentum = resolved.bn_momentum};
}

SegmenterOptions segmenter_options(const ModelOptions& resolved, const ResNetOptions& backbone,
                                   bool channels_last) {
  const auto aspp = value_of(kAspps, "model.aspp", resolved.aspp);
  if (aspp == AsppKind::kStandard && resolved.aspp_act != "relu")
    throw ConfigError(
        "model.aspp_act applies to model.aspp = \"mib\" only; \"standard\" always uses relu");
  if (resolved.output_stride != 8 && resolved.output_stride != 16)
    throw_error<ConfigError>("model.output_stride = {}: must be 8 or 16", resolved.output_stride);
  constexpr int64_t kStagesStride = 8;  // stride of layer2, layer3 and layer4 together
  if (resolved.output_stride > stem_stride(backbone.stem) * kStagesStride)
    throw_error<ConfigError>("model.output_stride = {}: with model.stem = \"{}\" it is at most {}",
                             resolved.output_stride, resolved.stem,
                             stem_stride(backbone.stem) * kStagesStride);
  SegmenterOptions options = {
      .backbone = backbone,
      .plus = resolved.name == kDeepLabPlus,
      .aspp = aspp,
      .aspp_activation = value_of(kActivations, "model.aspp_act", resolved.aspp_act),
      .head_channels = resolved.head_channels,
      .classifier = value_of(kClassifiers, "model.classifier", resolved.classifier),
      .init = value_of(kInits, "model.init", resolved.init),
      .dropout = resolved.dropout.value_or(aspp == AsppKind::kMib ? 0.0 : 0.1),
      .channels_last = channels_last};
  options.backbone.output_stride = resolved.output_stride;
  return options;
}

}  // namespace

Fields config_fields(ModelOptions& options) {
  return {
      common({"model.name",
              &options.name,
              "the network; auto = resnet18 (segmentation: deeplabv3plus)",
              {},
              with_auto(model_names())}),
      common({"model.width", &options.width,
              "channels of the first stage; auto (or 0) = 16 for fashion_mnist, shapes and "
              "shapes_seg; 16 to 64 for your own images, depending on how many there are; else 64",
              at_least(0)}),
      {"model.stem",
       &options.stem,
       "first layers: imagenet = 7x7 convolution and max pooling, cifar = 3x3 convolution, "
       "cifar_s2 = 3x3 convolution with stride 2; auto depends on dataset and input size",
       {},
       with_auto(names_of(kStems))},
      common({"model.pretrained",
              &options.pretrained,
              "pretrained weights with torchvision's parameter names: a safetensors or PyTorch "
              ".pth file (zip format); empty = train from scratch",
              {},
              {},
              true}),
      {"model.channels_last", &options.channels_last,
       "use the channels-last memory layout, which is faster for narrow networks; auto = on for "
       "widths 16 to 31"},
      common({"model.bn",
              &options.bn,
              "batch norm in the first task; frozen = use the running statistics and do not train "
              "weight and bias (for pretrained weights)",
              {},
              names_of(kFreezing)}),
      after_first_task({"model.bn_next",
                        &options.bn_next,
                        "batch norm in later tasks; auto = model.bn",
                        {},
                        with_auto(names_of(kFreezing))}),
      {"model.bn_momentum",
       &options.bn_momentum,
       "momentum of batch norm's running statistics",
       {.min = 0, .max = 1, .open_min = true}},
      common({"model.backbone",
              &options.backbone,
              "segmentation: backbone of the network; auto = resnet101 (shapes_seg: resnet18)",
              {},
              with_auto(backbone_names())}),
      {"model.head_channels", &options.head_channels,
       "segmentation: channels of ASPP and decoder; 0 = 256 (shapes_seg: 64)", at_least(0)},
      {"model.output_stride", &options.output_stride,
       "segmentation: output stride of the backbone, 8 or 16; 0 = 16 (8 for images up to 128 "
       "pixels)",
       at_least(0)},
      {"model.classifier",
       &options.classifier,
       "segmentation: linear = one 1x1 convolution, ssul = SSUL heads with an unknown class; auto "
       "depends on the method",
       {},
       with_auto(names_of(kClassifiers))},
      after_first_task({"model.init",
                        &options.init,
                        "segmentation: initialisation of new classes: default = random, background "
                        "= from background (MiB), unknown = from unknown (SSUL); auto depends on "
                        "the method",
                        {},
                        with_auto(names_of(kInits))}),
      {"model.aspp",
       &options.aspp,
       "segmentation: ASPP variant: standard (DeepLab) or mib (MiB, SDR)",
       {},
       names_of(kAspps)},
      {"model.aspp_act",
       &options.aspp_act,
       "segmentation: activation in ASPP; only with model.aspp = mib",
       {},
       names_of(kActivations)},
      {"model.dropout", &options.dropout,
       "segmentation: dropout probability after ASPP; auto = 0.1 (model.aspp = mib: 0)",
       at_least_below(0, 1)},
  };
}

const std::vector<std::string>& segmentation_keys() {
  static const std::vector<std::string> keys = {
      "model.backbone", "model.head_channels", "model.output_stride", "model.classifier",
      "model.init",     "model.aspp",          "model.aspp_act",      "model.dropout"};
  return keys;
}

void refuse_segmentation_keys(ModelOptions& options) {
  ModelOptions defaults;
  const auto fields = config_fields(options);
  const auto unset = config_fields(defaults);
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto& keys = segmentation_keys();
    if (std::find(keys.begin(), keys.end(), fields[i].key) == keys.end()) continue;
    if (value_text(fields[i]) != value_text(unset[i]))
      throw_error<ConfigError>(
          "{} = {}: applies to segmentation networks only; this one is a classifier", fields[i].key,
          value_text(fields[i]));
  }
}

const ModelEntry& find_model(const std::string& name) {
  for (const auto& model : builtin_models()) {
    if (model.name == name) return model;
  }
  throw_error<ConfigError>("model.name: unknown model '{}'{}", name,
                           choose_from(name, model_names()));
}

const std::vector<ModelEntry>& builtin_models() {
  static const std::vector<ModelEntry> models = {
      {"resnet18", "basic blocks, 11.2 million parameters at width 64, 512 features", 18},
      {"resnet34", "basic blocks, 21.3 million parameters at width 64, 512 features", 34},
      {"resnet50", "bottlenecks, 23.5 million parameters at width 64, 2048 features", 50},
      {"resnet101", "bottlenecks, 42.5 million parameters at width 64, 2048 features", 101},
      {kDeepLabPlus,
       "segmentation: DeepLab-v3+, with a decoder on layer1; 58.7 million parameters on resnet101",
       0, Problem::kMasks},
      {kDeepLab, "segmentation: DeepLab-v3, no decoder; 58.0 million parameters on resnet101", 0,
       Problem::kMasks},
  };
  return models;
}

Stem stem_for_size(int64_t side) {
  // Above 48 pixels, layer4 has more than one position even after the imagenet stem.
  return side <= 48 ? Stem::kCifar : Stem::kImagenet;
}

// Below this width the kernels of Debian's oneDNN (2.6) write beyond their buffers in this layout:
// a backward pass with 8 channels at 64x64 corrupts the heap.
constexpr int64_t kLeastChannelsLast = 16;

bool channels_last_for_width(int64_t width) {
  // Training a ResNet-18 on 32x32 images (LibTorch 1.13, AVX2, one thread): 14 to 38 % faster at
  // width 16; at 32 and 64 the difference is within the spread of repeats.
  return width >= kLeastChannelsLast && width < 32;
}

Stem stem_called(const std::string& name) { return value_of(kStems, "model.stem", name); }

std::string stem_name(Stem stem) {
  for (const auto& known : kStems) {
    if (stem == known.value) return known.name;
  }
  throw Error("unknown stem");
}

NormMode first_norm(const ModelOptions& resolved) {
  return norm_mode("model.bn", resolved.bn, resolved);
}

NormMode next_norm(const ModelOptions& resolved) {
  return norm_mode("model.bn_next", resolved.bn_next, resolved);
}

std::shared_ptr<Network> make_network(const ModelOptions& resolved, int64_t in_channels,
                                      uint64_t seed) {
  const int64_t width = resolved.width.value_or(0);
  if (width < 1) throw_error<ConfigError>("model.width = {}: must be above 0", width);
  if (resolved.channels_last.value_or(false) && width < kLeastChannelsLast)
    throw_error<ConfigError>(
        "model.channels_last = true: not possible with model.width = {}: below {} this layout "
        "corrupts memory; use auto",
        width, kLeastChannelsLast);
  const auto& model = find_model(resolved.name);
  const ResNetOptions backbone = {.depth = model.problem == Problem::kMasks
                                               ? depth_of_backbone(resolved.backbone)
                                               : model.depth,
                                  .width = width,
                                  .stem = stem_called(resolved.stem),
                                  .in_channels = in_channels};
  const bool channels_last = resolved.channels_last.value_or(channels_last_for_width(width));
  if (model.problem == Problem::kMasks) {
    return std::make_shared<Segmenter>(segmenter_options(resolved, backbone, channels_last), seed);
  }
  return std::make_shared<ImageClassifier>(
      ImageClassifierOptions{.backbone = backbone, .channels_last = channels_last}, seed);
}

}  // namespace lethe
