#include "lethe/run/evidence.h"

#include <limits>
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
  ordered_json j = {
      {"distance", own.distance}, {"probe_before", own.probe_before}, {"probe", own.probe}};
  if (own.shots_before && own.shots)
    j.update({{"5_shot_before", *own.shots_before}, {"5_shot", *own.shots}});
  return j;
}

ClassFeatures to_features(const json& own) {
  // JSON has no infinity: a distance that was too large is null.
  const auto& distance = own.at("distance");
  ClassFeatures features = {.distance = distance.is_null() ? std::numeric_limits<double>::infinity()
                                                           : distance.get<double>(),
                            .probe_before = own.at("probe_before"),
                            .probe = own.at("probe")};
  if (own.contains("5_shot")) {
    features.shots_before = own.at("5_shot_before").get<double>();
    features.shots = own.at("5_shot").get<double>();
  }
  return features;
}

// By name, with the mean.
void add_figures(ordered_json& all, const std::map<ClassId, ClassFeatures>& figures,
                 const std::string& mean, const std::string& classes, const TaskPlan& plan) {
  all[mean] = figures.empty() ? ordered_json(nullptr) : to_json(mean_of(figures));
  all[classes] = ordered_json::object();
  for (const auto& [id, own] : figures) all[classes][plan.class_name(id)] = to_json(own);
}

json read_features(const fs::path& run) {
  const auto file = run / kFeaturesFile;
  if (!fs::exists(file)) return json::object();
  auto stored = json::parse(read_text(file), nullptr, /*allow_exceptions=*/false);
  return stored.is_object() ? stored : json::object();
}

// The network at the end of a task.
std::shared_ptr<Network> network_after(const RunConfig& config, const Experiment& experiment,
                                       const fs::path& run, int64_t task) {
  const auto seed = static_cast<uint64_t>(config.train.seed);
  auto network = make_network(config.model, experiment.data.train->info().channels, seed);
  network->to(experiment.network->device());
  const auto folder = version_of(run, task);
  restore_network(*network, *experiment.plan, task, seed, read_checkpoint(folder), folder.string());
  return network;
}

}  // namespace

void measure_forgetting(const RunConfig& config, const Experiment& experiment, const fs::path& run,
                        const Task& task, const std::vector<Task>& events) {
  const auto& plan = *experiment.plan;
  std::vector<BeforeRequest> before;
  ClassSet classes;
  for (const auto& event : events) {
    if (event.requested.empty()) continue;
    const auto last = event.number - 1;
    before.push_back({event.requested, network_after(config, experiment, run, last), last});
    classes = classes | event.requested;
  }
  if (before.empty()) return;
  log_info("measuring the features of forgotten classes: {}", plan.short_names(classes));
  auto& after = *experiment.network;
  auto figures =
      feature_figures(before, after, experiment.data.train, experiment.eval, plan, task,
                      {.images = plan.problem() == Problem::kMasks ? kMaskImages : kImages,
                       .batch = config.eval.batch.value_or(32),
                       .loader_threads = static_cast<int>(config.data.threads)});
  if (plan.problem() == Problem::kMasks && config.keep.pictures) {
    const auto sheet = prediction_sheet(before, after, experiment.eval, plan, task);
    if (sheet.defined()) write_png(run / kPredictionsFile, sheet);
  }
  // Figures of earlier events: a forgotten class keeps its figures, a kept class the network that
  // it is compared with.
  const auto stored = read_features(run);
  const auto forgotten = stored.value("classes", json::object());
  const auto kept = stored.value("kept", json::object());
  for (const auto& [name, own] : forgotten.items())
    figures.forgotten.emplace(plan.find(kFeaturesFile, name), to_features(own));
  for (const auto& [name, own] : kept.items()) {
    const auto now = figures.kept.find(plan.find(kFeaturesFile, name));
    if (now == figures.kept.end()) continue;
    const auto first = to_features(own);
    now->second.probe_before = first.probe_before;
    now->second.shots_before = first.shots_before;
  }
  ordered_json text;
  add_figures(text, figures.forgotten, "mean", "classes", plan);
  add_figures(text, figures.kept, "mean_kept", "kept", plan);
  write_atomically(run / kFeaturesFile, text.dump(1) + '\n');
}

namespace {

std::optional<ClassFeatures> features_at(const json& stored, const char* key) {
  if (!stored.contains(key) || stored.at(key).is_null()) return std::nullopt;
  return to_features(stored.at(key));
}

}  // namespace

MeanFeatures mean_features(const fs::path& run) {
  const auto stored = read_features(run);
  return {.forgotten = features_at(stored, "mean"), .kept = features_at(stored, "mean_kept")};
}

}  // namespace lethe
