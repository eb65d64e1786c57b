// A picture of forgetting in segmentation: images that contain forgotten classes, their true masks,
// and the predictions before the request and now.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "lethe/data/dataset.h"
#include "lethe/metrics/feature_figures.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

struct PredictionSheetOptions {
  int64_t rows = 8;    // maximum number of images, divided evenly among the forgotten classes
  int64_t side = 128;  // approximate size of a picture in pixels
};

// after is the network at the end of `task`. Returns uint8 [3, H, W]; undefined if no image
// contains a forgotten class.
at::Tensor prediction_sheet(const std::vector<BeforeRequest>& before, Network& after,
                            const DatasetPtr& dataset, const TaskPlan& plan, const Task& task,
                            const PredictionSheetOptions& options = {});

}  // namespace lethe
