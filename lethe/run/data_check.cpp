#include "lethe/run/data_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "lethe/core/error.h"
#include "lethe/report/table.h"
#include "lethe/run/run_config.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// Which data set a folder holds, by the files that only that set has.
std::string dataset_in(const fs::path& folder) {
  const auto holds = [&](const fs::path& file) { return fs::exists(folder / file); };
  if (holds("train.bin") || holds("cifar-100-binary")) return "cifar100";
  if (holds("data_batch_1.bin") || holds("cifar-10-batches-bin")) return "cifar10";
  if (holds("train-images-idx3-ubyte") || holds("train-images-idx3-ubyte.gz"))
    return "fashion_mnist";
  std::vector<std::string> known;
  for (const auto& entry : builtin_datasets()) known.push_back(entry.name);
  throw_error<DataError>(
      "{}: holds none of the data sets that are told by their files; use a config with data.name "
      "({})",
      folder.string(), fmt::join(known, ", "));
}

bool is_dataset(const std::string& name) {
  const auto& all = builtin_datasets();
  return std::any_of(all.begin(), all.end(),
                     [&](const DatasetEntry& entry) { return entry.name == name; });
}

std::vector<int64_t> counts(const Dataset& dataset) {
  std::vector<int64_t> result(dataset.info().class_names.size());
  for (int64_t i = 0; i < dataset.size(); ++i) {
    for (const auto label : dataset.labels_of(i)) ++result.at(static_cast<size_t>(label));
  }
  return result;
}

}  // namespace

std::string check_data(const std::string& config_or_path, const std::vector<std::string>& sets) {
  RunConfig config;
  const bool is_folder = fs::is_directory(config_or_path);
  bool has_plan = false;
  ConfigText text;
  if (is_folder) {
    config.data.name = dataset_in(config_or_path);
    config.data.root = fs::absolute(config_or_path).lexically_normal().string();
  } else if (is_dataset(config_or_path)) {
    config.data.name = config_or_path;
  } else {
    // A path is meant, but nothing is there.
    if (config_or_path.find('/') != std::string::npos && !fs::exists(config_or_path))
      throw_error<DataError>("{}: no such folder or file", config_or_path);
    text = read_config(config_or_path, {});
    has_plan = true;
  }
  for (const auto& assignment : sets) text.set(assignment);
  configure(config, text);
  const auto splits = load_data(config.data);
  const auto& info = splits.train->info();

  const auto train = counts(*splits.train);
  const auto test = counts(*splits.test);
  const auto val = splits.val ? counts(*splits.val) : std::vector<int64_t>(train.size());
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> missing;
  for (size_t i = 0; i < info.class_names.size(); ++i) {
    rows.push_back({info.class_names[i], std::to_string(train[i]), std::to_string(val[i]),
                    std::to_string(test[i])});
    if (train[i] == 0 || test[i] == 0) missing.push_back(info.class_names[i]);
  }
  std::string result =
      fmt::format("{}\n{}: {} classes, {}x{}x{}, {} training, {} held-out, {} test images\n",
                  markdown_table({"class", "train", "held out", "test"}, rows), info.name,
                  info.class_names.size(), info.channels, info.height, info.width,
                  splits.train->size(), splits.val ? splits.val->size() : 0, splits.test->size());
  if (!missing.empty())
    result +=
        fmt::format("warning: no training or no test image of {}\n", fmt::join(missing, ", "));
  if (has_plan) {
    const TaskPlan plan(config.stream, info);
    result += fmt::format("the plan fits: {} task{}, {} class{} to forget\n", plan.tasks().size(),
                          plan.tasks().size() == 1 ? "" : "s", plan.listed().size(),
                          plan.listed().size() == 1 ? "" : "es");
  }
  return result;
}

}  // namespace lethe
