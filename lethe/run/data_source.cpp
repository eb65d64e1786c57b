#include "lethe/run/data_source.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/nearest.h"
#include "lethe/data/image_file.h"
#include "lethe/data/prepared.h"
#include "lethe/run/presets.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// Whether a folder has subfolders with images.
bool holds_class_folders(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(entry.path())) {
      if (has_image_suffix(file.path())) return true;
    }
  }
  return false;
}

// Recognises the dataset in a folder by files that only this dataset has.
std::string dataset_in(const fs::path& folder) {
  const auto holds = [&](const fs::path& file) { return fs::exists(folder / file); };
  if (holds("train.bin") || holds("cifar-100-binary") || holds("cifar-100-python") ||
      fs::is_regular_file(folder / "train"))
    return "cifar100";
  if (holds("data_batch_1.bin") || holds("cifar-10-batches-bin") || holds("data_batch_1") ||
      holds("cifar-10-batches-py"))
    return "cifar10";
  if (holds("train-images-idx3-ubyte") || holds("train-images-idx3-ubyte.gz"))
    return "fashion_mnist";
  if (holds("train_test_split.txt") || holds("image_class_labels.txt") || holds("CUB_200_2011"))
    return "cub200";
  if (holds("devkit") || holds("stanford_cars")) return "cars";
  const bool has_lists = holds("ImageSets/Segmentation");
  if (holds("VOCdevkit") || holds("VOC2012")) return "voc2012";
  if (has_lists && !holds("classes.txt")) {
    log_info("{}: has no classes.txt; its masks are read as those of Pascal VOC 2012",
             folder.string());
    return "voc2012";
  }
  if (has_lists || holds("SegmentationClass")) return "mask_folder";
  if (holds("train.txt")) return "image_list";
  if (holds("train") || holds("test") || holds_class_folders(folder)) return "image_folder";
  std::vector<std::string> known;
  for (const auto& entry : builtin_datasets()) known.push_back(entry.name);
  throw_error<DataError>(
      "{}: contains no dataset that can be recognised by its files; use a configuration with "
      "data.name ({})",
      folder.string(), fmt::join(known, ", "));
}

DataOptions options_for(const fs::path& folder) {
  if (fs::exists(folder / kPreparedIndex)) {
    auto options = read_prepared_index(folder).options;
    options.root = "";  // the original files are not needed
    return options;
  }
  DataOptions options;
  options.name = dataset_in(folder);
  options.root = fs::absolute(folder).lexically_normal().string();
  return options;
}

bool is_dataset(const std::string& name) {
  const auto& all = builtin_datasets();
  return std::any_of(all.begin(), all.end(),
                     [&](const DatasetEntry& entry) { return entry.name == name; });
}

void require_preset(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& preset : presets()) {
    if (preset.name == name) return;
    known.push_back(preset.name);
  }
  for (const auto& entry : builtin_datasets()) known.push_back(entry.name);
  throw_error<ConfigError>(
      "'{}' is not a folder of images, a configuration file, a preset or a dataset{} (see `lethe "
      "list presets` and `lethe list datasets`)",
      name, did_you_mean(name, known));
}

}  // namespace

bool configure_data(RunConfig& config, const std::string& config_or_path,
                    const std::vector<std::string>& sets) {
  ConfigText text;
  bool is_config = false;
  if (fs::is_directory(config_or_path)) {
    config.data = options_for(config_or_path);
  } else if (is_dataset(config_or_path)) {
    config.data.name = config_or_path;
  } else {
    // The argument is a path that does not exist.
    if (config_or_path.find('/') != std::string::npos && !fs::exists(config_or_path))
      throw_error<DataError>("{}: no such folder or file", config_or_path);
    if (!fs::exists(config_or_path)) require_preset(config_or_path);
    text = read_config(config_or_path, {});
    is_config = true;
  }
  for (const auto& assignment : sets) text.set(assignment);
  configure(config, text);
  return is_config;
}

}  // namespace lethe
