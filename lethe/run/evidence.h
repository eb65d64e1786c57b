// Figures of forgetting that a finished run leaves beside its scores: features.json (what is left
// of forgotten classes in the features, metrics/feature_figures.h) and, for masks, predictions.png
// (prediction_sheet.h).
#pragma once

#include <filesystem>
#include <optional>

#include "lethe/metrics/feature_figures.h"
#include "lethe/run/experiment.h"

namespace lethe {

// Measures a finished run; the network is that of its last task. Writes the files, unless they
// exist, and returns the mean over forgotten classes; nothing if the run forgot nothing.
std::optional<ClassFeatures> forgetting_evidence(const RunConfig& config,
                                                 const Experiment& experiment,
                                                 const std::filesystem::path& run);

}  // namespace lethe
