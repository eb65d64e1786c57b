// Converts evaluations to and from metrics.jsonl, as counts per class.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "lethe/metrics/evaluate.h"
#include "lethe/metrics/scores.h"
#include "lethe/trainer/events.h"

namespace lethe {

EvaluationRow to_row(const Evaluation& evaluation, int64_t task, int64_t epoch, Moment moment);

// A line of metrics.jsonl.
nlohmann::ordered_json to_json(const EvaluationRow& row, const TaskPlan& plan, int64_t images);

// Reads the evaluations of a finished or running run from the first lines of its metrics.jsonl.
// Throws DataError with file and line.
std::vector<EvaluationRow> read_evaluations(const std::filesystem::path& metrics_file,
                                            int64_t lines = INT64_MAX);

}  // namespace lethe
