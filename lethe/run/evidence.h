// Evidence of forgetting that a finished run writes in addition to its scores: features.json (how
// much information about forgotten classes remains in the features, metrics/feature_figures.h) and,
// in segmentation, predictions.png (prediction_sheet.h).
#pragma once

#include <filesystem>
#include <optional>

#include "lethe/metrics/feature_figures.h"
#include "lethe/run/experiment.h"

namespace lethe {

// Measures a finished run; the network of the experiment must be that of the last task. Writes the
// files unless they exist. Returns the mean over forgotten classes; std::nullopt if no class was
// forgotten.
std::optional<ClassFeatures> forgetting_evidence(const RunConfig& config,
                                                 const Experiment& experiment,
                                                 const std::filesystem::path& run);

}  // namespace lethe
