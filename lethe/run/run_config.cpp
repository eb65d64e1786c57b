#include "lethe/run/run_config.h"

#include <algorithm>
#include <filesystem>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/nearest.h"
#include "lethe/run/presets.h"
#include "lethe/run/recipes.h"

namespace lethe {

namespace {

bool is_among(const std::string& key, const std::vector<std::string>& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool acts_on(Problem problem, const Field& field) {
  return !field.only_for || *field.only_for == problem;
}

void refuse_keys_of_other_problem(const ConfigText& text, const Fields& fields, Problem problem) {
  for (const auto& field : fields) {
    if (text.has(field.key) && !acts_on(problem, field))
      throw_error<ConfigError>("{}: applies to {} only; the dataset is for {}", field.key,
                               name_of(*field.only_for), name_of(problem));
  }
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
  all.push_back(common({"method.name", &method, "method name; see `lethe list methods`"}));
  append(method_groups.fields());
  append(config_fields(train));
  append(config_fields(eval));
  append(config_fields(metric));
  append(config_fields(forget));
  append(config_fields(keep));
  append(config_fields(audit));
  return all;
}

Fields RunConfig::used_fields() {
  const auto& set = find_dataset(data.name);
  Fields used;
  for (auto& field : fields()) {
    if (field.key.starts_with("data.") && !set.reads(field.key)) continue;
    if (set.problem == Problem::kImages && is_among(field.key, segmentation_keys())) continue;
    if (!acts_on(set.problem, field)) continue;
    if (method_recipe().has(field.key)) used.push_back(std::move(field));
  }
  return used;
}

const MethodEntry& RunConfig::method_entry() const {
  return MethodRegistry::builtin().find(method);
}

const MethodRecipe& RunConfig::method_recipe() const {
  return method_entry().recipe(find_dataset(data.name).problem);
}

namespace {

ConfigText file_or_preset_text(const std::string& file_or_preset) {
  const bool is_folder = std::filesystem::is_directory(file_or_preset);
  if (!is_folder && std::filesystem::exists(file_or_preset))
    return ConfigText::from_file(file_or_preset);
  std::vector<std::string> known;
  for (const auto& preset : presets()) {
    if (preset.name == file_or_preset)
      return ConfigText::from_string(preset.toml, "preset " + preset.name);
    known.push_back(preset.name);
  }
  if (is_folder)
    throw_error<ConfigError>("{}: is a folder; a configuration is a TOML file or a preset",
                             file_or_preset);
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
  const auto fields = config.fields();
  text.apply(fields);
  RunConfig defaults;
  config.changed = changed_keys(fields, defaults.fields());
  const auto& entry = config.method_entry();
  config.method = entry.name;
  refuse_keys_of_other_problem(text, fields, find_dataset(config.data.name).problem);
  const auto& recipe = config.method_recipe();
  // Published weights expect the size of photographs.
  if (find_dataset(config.data.name).own_images && !config.model.pretrained.empty() &&
      config.data.size == 0 && config.data.prepared.empty())
    config.data.size = kPhotoSide;
  for (const auto& field : fields) {
    if (text.has(field.key) && !recipe.reads(field.key, config.method_groups))
      log_warning("{} is set, but method '{}' does not use it", field.key, entry.name);
  }
}

namespace {

void resolve_segmentation(ModelOptions& model, const DatasetInfo& info, const Recipe& recipe) {
  if (model.backbone == "auto") model.backbone = recipe.backbone;
  if (model.head_channels == 0) model.head_channels = recipe.head_channels;
  // At stride 16 the map of a small image is so small that dilated kernels only use their centre.
  if (model.output_stride == 0)
    model.output_stride = std::max(info.height, info.width) <= 128 ? 8 : 16;
  if (model.classifier == "auto") model.classifier = "linear";
  if (model.init == "auto") model.init = model.classifier == "ssul" ? "unknown" : "default";
  if (!model.dropout) model.dropout = model.aspp == "mib" ? 0.0 : 0.1;
}

void resolve_model(ModelOptions& model, const DatasetInfo& info, const Recipe& recipe) {
  const bool masks = info.problem == Problem::kMasks;
  if (model.name == "auto") model.name = masks ? "deeplabv3plus" : "resnet18";
  if (find_model(model.name).problem != info.problem) {
    throw_error<ConfigError>("model.name = \"{}\": is a network for {}, but the dataset is for {}",
                             model.name, masks ? "classification" : "segmentation",
                             masks ? "segmentation" : "classification");
  }
  if (model.width.value_or(0) == 0) model.width = recipe.width;
  if (model.stem == "auto")
    model.stem = recipe.stem != nullptr ? recipe.stem : stem_name(stem_for_size(info.width));
  // Narrow networks are faster with channels_last, wide networks slower on some machines
  // (docs/results/throughput.md).
  if (!model.channels_last) model.channels_last = channels_last_for_width(*model.width);
  if (model.bn_next == "auto") model.bn_next = model.bn;
  if (model.bn == "frozen" && model.pretrained.empty())
    log_warning(
        "model.bn = \"frozen\" without model.pretrained: batch norm has no running statistics yet");
  if (masks) {
    resolve_segmentation(model, info, recipe);
  } else {
    refuse_segmentation_keys(model);
  }
}

// Defaults of specification 4.
void resolve_training(TrainOptions& train, const DatasetInfo& info, const Recipe& recipe) {
  const bool masks = info.problem == Problem::kMasks;
  if (!train.epochs) train.epochs = recipe.epochs;
  if (!train.epochs_next) train.epochs_next = train.epochs;
  if (!train.batch) train.batch = recipe.batch;
  if (!train.lr) train.lr = recipe.lr_for(*train.batch);
  if (!train.lr_next) train.lr_next = masks ? *train.lr / 10 : *train.lr;
  if (train.schedule == "auto") train.schedule = masks ? "poly" : "cosine";
  if (!train.warmup_epochs) train.warmup_epochs = masks ? 0.0 : *train.epochs > 1 ? 1.0 : 0.5;
  if (!train.nesterov) train.nesterov = masks;
  if (!train.weight_decay) train.weight_decay = masks ? 1e-4 : 5e-4;
  if (train.accumulate > *train.batch) {
    throw_error<ConfigError>(
        "train.accumulate = {}: more parts than the batch has images (train.batch = {})",
        train.accumulate, *train.batch);
  }
}

}  // namespace

void resolve_learning(RunConfig& config, const DatasetInfo& info, int64_t images) {
  const bool pretrained = !config.model.pretrained.empty();
  const auto recipe =
      find_dataset(config.data.name).own_images
          ? own_images_recipe({.images = images,
                               .tasks = TaskPlan(config.stream, info).last_learning_task(),
                               .side = info.width},
                              pretrained)
          : recipe_for(config.data.name, info.problem, pretrained);
  resolve_model(config.model, info, recipe);
  resolve_training(config.train, info, recipe);
  if (!config.eval.batch) {
    constexpr int64_t kPixels = int64_t{256} * 64 * 64;
    config.eval.batch = info.problem == Problem::kMasks
                            ? std::max<int64_t>(1, kPixels / (info.height * info.width))
                            : 256;
  }
}

void resolve(RunConfig& config, const DatasetInfo& info, int64_t images) {
  const auto& recipe = config.method_entry().recipe(info.problem);
  if (config.model.classifier == "auto" && recipe.classifier != nullptr)
    config.model.classifier = recipe.classifier;
  if (config.model.init == "auto" && recipe.init != nullptr)
    config.model.init = recipe.init(config.method_groups);
  if (config.model.classifier == "ssul" &&
      (recipe.classifier == nullptr || config.model.classifier != recipe.classifier))
    throw_error<ConfigError>(
        "model.classifier = \"ssul\": method '{}' does not use heads with an unknown class; only "
        "ssul and ssul* do",
        config.method);
  if (config.train.accumulate > 1 && recipe.compares_classes)
    log_warning(
        "train.accumulate = {}: the terms of '{}' compare only the classes within one part of a "
        "batch, so they act more weakly (docs/models.md)",
        config.train.accumulate, config.method);
  resolve_learning(config, info, images);

  // Pretrained weights need the normalisation they were trained with, that of ImageNet. It has
  // three channels.
  auto& normalize = config.data.normalize;
  if (normalize == "auto")
    normalize = !config.model.pretrained.empty() && info.channels == 3 ? "imagenet" : "own";

  resolve(config.data, info);
  config.aug = to_options(augmentation_of(config, info), find_dataset(config.data.name));

  recipe.resolve(config.method_groups, info);
  if (config.eval.split == "auto")
    config.eval.split = config.data.val_fraction > 0 ? "val" : "test";
  if (config.eval.split == "val" && config.data.val_fraction == 0) {
    throw ConfigError("eval.split = \"val\": no images are held out; set data.val_fraction");
  }
  auto& stream = config.stream;
  if (!stream.forget_scope)
    stream.forget_scope = info.problem == Problem::kMasks ? ForgetScope::kFirst : ForgetScope::kAll;
  for (const auto& line : ineffective(config.used_fields(), config.changed))
    log_warning("{}", line);
}

Augmentation augmentation_of(const RunConfig& config, const DatasetInfo& info) {
  return resolve(config.aug, find_dataset(config.data.name), info.width);
}

std::string without_own_path(const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) return assignment;
  const auto key = assignment.substr(0, equals);
  // "folder/" has the same last component as "folder".
  auto path = std::filesystem::path(assignment.substr(equals + 1)).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  RunConfig config;
  for (const auto& field : config.fields()) {
    if (field.key == key && field.is_path && path.has_filename())
      return key + "=DIR/" + path.filename().string();
  }
  return assignment;
}

std::filesystem::path default_run_folder(const std::string& file_or_preset) {
  return std::filesystem::path("runs") / std::filesystem::path(file_or_preset).stem();
}

}  // namespace lethe
