#include "lethe/run/data_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/data/contact_sheet.h"
#include "lethe/data/image_file.h"
#include "lethe/data/load_data.h"
#include "lethe/data/parallel.h"
#include "lethe/report/table.h"
#include "lethe/run/data_source.h"

namespace lethe {

namespace {

std::vector<int64_t> counts(const Dataset& dataset) {
  std::vector<int64_t> result(dataset.info().class_names.size());
  for (int64_t i = 0; i < dataset.size(); ++i) {
    for (const auto label : dataset.labels_of(i)) ++result.at(static_cast<size_t>(label));
  }
  return result;
}

// Names every damaged file, not only the first.
void require_decodable(const DataOptions& options) {
  if (options.undecodable == "skip") return;  // skipped with a warning by load_data()
  const auto bad = undecodable_images(options);
  if (bad.empty()) return;
  for (size_t i = 0; i + 1 < bad.size(); ++i) log_warning("{}", bad[i]);
  throw_error<DataError>(
      "{}; {} cannot be decoded: repair or remove these files, or set data.undecodable = \"skip\"",
      bad.back(), counted(static_cast<int64_t>(bad.size()), "image"));
}

// Reads every sample: a prepared image is compared with its checksum, a mask with the size of its
// image. Names every sample that fails.
void require_readable(const DataSplits& splits) {
  std::vector<std::string> flaws;
  for (const auto& part : {splits.train, splits.val, splits.test}) {
    if (!part) continue;
    std::vector<std::string> flaw(static_cast<size_t>(part->size()));
    ImageProgress progress("checking images", part->size());
    parallel_for(0, part->size(), physical_cores(), [&](int64_t i) {
      try {
        part->get(i);
      } catch (const DataError& error) {
        flaw[static_cast<size_t>(i)] = error.what();
      }
      progress.add();
    });
    std::erase(flaw, "");
    flaws.insert(flaws.end(), flaw.begin(), flaw.end());
  }
  if (flaws.empty()) return;
  for (size_t i = 0; i + 1 < flaws.size(); ++i) log_warning("{}", flaws[i]);
  throw DataError(flaws.back());
}

// A table of the classes with their numbers of images, and a line of totals.
std::string class_table(const DataSplits& splits) {
  const auto& names = splits.train->info().class_names;
  const auto train = counts(*splits.train);
  const auto test = counts(*splits.test);
  const auto val = splits.val ? counts(*splits.val) : std::vector<int64_t>(train.size());
  std::vector<std::vector<std::string>> rows;
  const bool has_masks = splits.train->info().problem == Problem::kMasks;
  for (size_t i = has_masks ? 1 : 0; i < names.size(); ++i) {  // without background
    rows.push_back(
        {names[i], std::to_string(train[i]), std::to_string(val[i]), std::to_string(test[i])});
  }
  const auto& info = splits.train->info();
  return fmt::format("{}\n{}: {}, {}x{}x{}, {} training, {} held-out, {}\n",
                     markdown_table({"class", "train", "held out", "test"}, rows), info.name,
                     counted(static_cast<int64_t>(rows.size()), "class", "classes"), info.channels,
                     info.height, info.width, splits.train->size(),
                     splits.val ? splits.val->size() : 0,
                     counted(splits.test->size(), "test image"));
}

void require_png_path(const std::filesystem::path& file) {
  if (file.extension() != ".png")
    throw_error<ConfigError>("--sheet {}: the sheet is a PNG file; use a name that ends in .png",
                             file.string());
  const auto folder = file.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw_error<ConfigError>("--sheet {}: the folder {} does not exist", file.string(),
                             folder.string());
}

}  // namespace

std::string check_data(const DataCheckOptions& options) {
  if (!options.sheet.empty()) require_png_path(options.sheet);  // before the data are read
  RunConfig config;
  const bool has_plan = configure_data(config, options.config_or_path, options.sets);
  const auto splits = load_data(config.data);
  require_decodable(config.data);
  const bool has_mask_files = find_dataset(config.data.name).list_masks != nullptr;
  if (!config.data.prepared.empty() || has_mask_files) require_readable(splits);
  std::string text = class_table(splits);
  if (has_plan) {
    const TaskPlan plan(config.stream, splits.train->info());
    plan.require_images(*splits.train);
    text += fmt::format("the task plan matches the data: {}, {} to forget\n",
                        counted(static_cast<int64_t>(plan.tasks().size()), "task"),
                        counted(plan.listed().size(), "class", "classes"));
  }
  if (options.sheet.empty())
    return text + "add --sheet FILE.png for a picture of samples as the network sees them\n";
  const auto augmentation = augmentation_of(config, splits.train->info());
  write_png(options.sheet, contact_sheet(*splits.train, augmentation,
                                         {.seed = static_cast<uint64_t>(config.train.seed)}));
  return text + fmt::format("wrote {}\n", options.sheet.string());
}

}  // namespace lethe
