// Labels for unlabelled images of an event that only forgets: what the model predicts for them.
#pragma once

#include "lethe/data/dataset.h"
#include "lethe/metrics/evaluate.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// Classification: the images with the label of the most likely class among the kept classes of the
// task. Throws Interrupted if a stop is requested.
DatasetPtr with_predicted_labels(Network& network, const DatasetPtr& images, const TaskPlan& plan,
                                 const Task& task, const EvaluateOptions& options);

}  // namespace lethe
