#include "lethe/run/evidence.h"

#include <nlohmann/json.hpp>

#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/data/image_file.h"
#include "lethe/record/run_files.h"
#include "lethe/run/prediction_sheet.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

// Images of each dataset that features are measured on. Segmentation needs fewer images, because
// each has many positions.
constexpr int64_t kMaskImages = 400;
constexpr int64_t kImages = 2000;

ordered_json to_json(const ClassFeatures& own) {
  return {{"distance", own.distance}, {"probe_before", own.probe_before}, {"probe", own.probe}};
}

std::optional<ClassFeatures> read_mean(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  const auto stored = json::parse(read_text(file), nullptr, /*allow_exceptions=*/false);
  if (!stored.is_object() || !stored.contains("mean")) return std::nullopt;
  const auto& mean = stored.at("mean");
  if (mean.is_null()) return std::nullopt;
  return ClassFeatures{.distance = mean.at("distance"),
                       .probe_before = mean.at("probe_before"),
                       .probe = mean.at("probe")};
}

// The network at the end of a task.
std::shared_ptr<Network> network_after(const RunConfig& config, const Experiment& experiment,
                                       const fs::path& run, int64_t task) {
  const auto seed = static_cast<uint64_t>(config.train.seed);
  auto network = make_network(config.model, experiment.data.train->info().channels, seed);
  network->to(experiment.network->device());
  const auto folder = task_folder(run, task);
  restore_network(*network, *experiment.plan, task, seed, read_checkpoint(folder).model,
                  folder.string());
  return network;
}

}  // namespace

std::optional<ClassFeatures> forgetting_evidence(const RunConfig& config,
                                                 const Experiment& experiment,
                                                 const fs::path& run) {
  const auto& plan = *experiment.plan;
  const auto& last = plan.tasks().back();
  if (last.forgotten.empty()) return std::nullopt;
  const auto file = run / kFeaturesFile;
  if (auto known = read_mean(file)) return known;

  auto& after = *experiment.network;
  log_info("measuring the features of forgotten classes: {}", plan.short_names(last.forgotten));
  std::vector<BeforeRequest> before;
  for (const auto& task : plan.tasks()) {
    if (!task.requested.empty())
      before.push_back({task.requested, network_after(config, experiment, run, task.number - 1)});
  }
  const auto figures =
      feature_figures(before, after, experiment.data.train, experiment.eval, plan, last,
                      {.images = plan.problem() == Problem::kMasks ? kMaskImages : kImages,
                       .batch = config.eval.batch.value_or(32),
                       .loader_threads = static_cast<int>(config.data.threads)});
  if (plan.problem() == Problem::kMasks) {
    const auto sheet = prediction_sheet(before, after, experiment.eval, plan, last);
    if (sheet.defined()) write_png(run / kPredictionsFile, sheet);
  }
  ordered_json classes = ordered_json::object();
  for (const auto& [id, own] : figures.classes) classes[plan.class_name(id)] = to_json(own);
  const bool known = !figures.classes.empty();  // at least one forgotten class is in the images
  const auto mean = figures.mean();
  const ordered_json text = {{"mean", known ? to_json(mean) : ordered_json(nullptr)},
                             {"classes", classes}};
  write_atomically(file, text.dump(1) + '\n');
  return known ? std::optional(mean) : std::nullopt;
}

}  // namespace lethe
