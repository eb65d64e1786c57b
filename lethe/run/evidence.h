// Evidence of forgetting that a finished run writes in addition to its scores: features.json (how
// much information about forgotten classes remains in the features, metrics/feature_figures.h) and,
// in segmentation, predictions.png (prediction_sheet.h).
#pragma once

#include <filesystem>
#include <optional>

#include "lethe/metrics/feature_figures.h"
#include "lethe/run/experiment.h"

namespace lethe {

// Measures the classes of the requests of some events, against the version right before each of
// them. task is the current event; the network of the experiment is as the event left it. Adds the
// figures to features.json. Does nothing without requests.
void measure_forgetting(const RunConfig& config, const Experiment& experiment,
                        const std::filesystem::path& run, const Task& task,
                        const std::vector<Task>& events);

// The means over classes in features.json; std::nullopt if there is none.
struct MeanFeatures {
  std::optional<ClassFeatures> forgotten, kept;
};
MeanFeatures mean_features(const std::filesystem::path& run);

}  // namespace lethe
