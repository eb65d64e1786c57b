// A picture of forgetting in masks: images that show forgotten classes, the truth, and what the
// network saw before the request and sees now.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "lethe/data/dataset.h"
#include "lethe/metrics/feature_figures.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

struct PredictionSheetOptions {
  int64_t rows = 8;    // images at most, evenly from the classes that are forgotten
  int64_t side = 128;  // of a picture, about
};

// after: at the end of `task`. uint8 [3, H, W]; undefined if no image shows a forgotten class.
at::Tensor prediction_sheet(const std::vector<BeforeRequest>& before, Network& after,
                            const DatasetPtr& dataset, const TaskPlan& plan, const Task& task,
                            const PredictionSheetOptions& options = {});

}  // namespace lethe
