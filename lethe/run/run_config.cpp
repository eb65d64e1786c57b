#include "lethe/run/run_config.h"

#include <algorithm>
#include <filesystem>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/nearest.h"
#include "lethe/method/contrastive_options.h"
#include "lethe/run/presets.h"

namespace lethe {

namespace {

// What "auto" means by data set; methods.md 4 for the paper's, our own measurements for the small
// ones.
struct Recipe {
  const char* dataset;
  int64_t width;
  const char* stem;  // nullptr: by image size
  double lr;
  double lr_pretrained;  // a pretrained network is tuned gently
};

constexpr Recipe kRecipes[] = {
    {"fashion_mnist", 16, "cifar_s2", 0.05, 0.01},
    {"shapes", 16, "cifar_s2", 0.05, 0.01},
    {"cifar10", 64, "cifar", 0.1, 0.02},
    {"cifar100", 64, "cifar", 0.1, 0.02},
    {"cub200", 64, nullptr, 0.1, 1e-3},
    {"cars", 64, nullptr, 0.1, 1e-3},
};
constexpr Recipe kOtherwise = {"", 64, nullptr, 0.1, 0.02};

const Recipe& recipe_for(const std::string& dataset) {
  const auto* found = std::find_if(std::begin(kRecipes), std::end(kRecipes),
                                   [&](const Recipe& recipe) { return recipe.dataset == dataset; });
  return found == std::end(kRecipes) ? kOtherwise : *found;
}

// False for "method.<section>.<key>" if the method does not read that section.
bool is_used(const std::string& key, const MethodEntry& entry) {
  constexpr std::string_view kPrefix = "method.";
  if (!key.starts_with(kPrefix) || key == "method.name") return true;
  const auto section = key.substr(kPrefix.size(), key.rfind('.') - kPrefix.size());
  return std::find(entry.sections.begin(), entry.sections.end(), section) != entry.sections.end();
}

}  // namespace

RunConfig::RunConfig() { MethodRegistry::builtin().declare(method_groups); }

Fields RunConfig::fields() {
  Fields all;
  const auto append = [&](Fields fields) {
    for (auto& field : fields) all.push_back(std::move(field));
  };
  append(config_fields(stream));
  append(config_fields(data));
  append(config_fields(aug));
  append(config_fields(model));
  all.push_back({"method.name", &method, "the strategy; see `lethe list methods`"});
  append(method_groups.fields());
  append(config_fields(train));
  append(config_fields(eval));
  append(config_fields(metric));
  return all;
}

Fields RunConfig::used_fields() {
  Fields used;
  for (auto& field : fields()) {
    if (is_used(field.key, method_entry())) used.push_back(std::move(field));
  }
  return used;
}

const MethodEntry& RunConfig::method_entry() const {
  return MethodRegistry::builtin().find(method);
}

namespace {

ConfigText file_or_preset_text(const std::string& file_or_preset) {
  if (std::filesystem::is_directory(file_or_preset))
    throw_error<ConfigError>("{}: is a folder; a configuration is a TOML file or a preset",
                             file_or_preset);
  if (std::filesystem::exists(file_or_preset)) return ConfigText::from_file(file_or_preset);
  std::vector<std::string> known;
  for (const auto& preset : presets()) {
    if (preset.name == file_or_preset)
      return ConfigText::from_string(preset.toml, "preset " + preset.name);
    known.push_back(preset.name);
  }
  throw_error<ConfigError>("'{}' is neither a file nor a preset{} (see `lethe list presets`)",
                           file_or_preset, did_you_mean(file_or_preset, known));
}

}  // namespace

ConfigText read_config(const std::string& file_or_preset, const std::vector<std::string>& sets) {
  auto text = file_or_preset_text(file_or_preset);
  for (const auto& assignment : sets) text.set(assignment);
  return text;
}

void configure(RunConfig& config, const ConfigText& text) {
  for (const auto& key : mask_only_keys()) {
    if (text.has(key)) throw_error<ConfigError>("{}: acts on masks only, not on images", key);
  }
  const auto fields = config.fields();
  text.apply(fields);
  const auto& entry = config.method_entry();
  config.method = entry.name;
  find_dataset(config.data.name);
  for (const auto& field : fields) {
    if (text.has(field.key) && !is_used(field.key, entry))
      log_warning("{} is set, but method '{}' does not use it", field.key, entry.name);
  }
}

void resolve(RunConfig& config, const DatasetInfo& info) {
  const auto& recipe = recipe_for(config.data.name);
  const auto& entry = config.method_entry();
  if (std::find(entry.kinds.begin(), entry.kinds.end(), info.kind) == entry.kinds.end()) {
    throw_error<ConfigError>("method '{}' does not work on {}", entry.name,
                             info.kind == TaskKind::kSegmentation ? "masks" : "image labels");
  }
  auto& model = config.model;
  if (model.name == "auto") model.name = "resnet18";
  if (model.width == 0) model.width = recipe.width;
  if (model.stem == "auto")
    model.stem = recipe.stem != nullptr ? recipe.stem : stem_name(stem_for_size(info.width));
  // Narrow networks gain from channels_last, wide ones lose on some machines
  // (docs/results/throughput.md).
  if (!model.channels_last) model.channels_last = channels_last_for_width(model.width);

  // Pretrained weights expect what they were trained with: colour images in ImageNet's scale.
  auto& normalize = config.data.normalize;
  if (normalize == "auto")
    normalize = !model.pretrained.empty() && info.channels == 3 ? "imagenet" : "own";

  auto& train = config.train;
  if (!train.lr) train.lr = model.pretrained.empty() ? recipe.lr : recipe.lr_pretrained;
  if (!train.lr_next) train.lr_next = train.lr;
  if (train.schedule == "auto") train.schedule = "cosine";
  if (!train.warmup_epochs) train.warmup_epochs = train.epochs > 1 ? 1.0 : 0.5;

  const auto& dataset = find_dataset(config.data.name);
  resolve(config.data, info);
  config.aug = to_options(resolve(config.aug, dataset), dataset);

  config.method_groups.resolve(info);
  if (config.eval.split == "auto")
    config.eval.split = config.data.val_fraction > 0 ? "val" : "test";
  if (config.eval.split == "val" && config.data.val_fraction == 0) {
    throw ConfigError("eval.split = \"val\": nothing is held out; set data.val_fraction");
  }
  auto& stream = config.stream;
  if (stream.forget_scope == "auto")
    stream.forget_scope = info.kind == TaskKind::kSegmentation ? "first" : "all";
}

std::filesystem::path default_run_folder(const std::string& file_or_preset) {
  return std::filesystem::path("runs") / std::filesystem::path(file_or_preset).stem();
}

}  // namespace lethe
