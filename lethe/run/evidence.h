// What a run on masks leaves as evidence of forgetting, beside its scores: features.json (what is
// left in the features, metrics/feature_figures.h) and predictions.png (prediction_sheet.h).
#pragma once

#include <filesystem>
#include <optional>

#include "lethe/metrics/feature_figures.h"
#include "lethe/run/experiment.h"

namespace lethe {

// Of a finished run, whose network stands at its last task. Writes both files and returns the mean
// over forgotten classes; nothing if the run forgot nothing. What is there already is kept.
std::optional<ClassFeatures> mask_evidence(const RunConfig& config, const Experiment& experiment,
                                           const std::filesystem::path& run);

}  // namespace lethe
