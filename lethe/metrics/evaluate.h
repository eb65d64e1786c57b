// Evaluation counts; it does not judge. Its result is a confusion matrix, from which every metric
// can be formed, also for requests that are made later.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "lethe/data/dataset.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

struct Evaluation {
  // int64 [C, C], row = truth, column = prediction, classes in stream order. Images: the task of
  // every image is known, so that predictions are classes of its task.
  at::Tensor confusion;
  // Images: the same with predictions among all classes seen. Masks: undefined.
  at::Tensor confusion_all = {};
  int64_t images = 0;
  Problem problem = Problem::kImages;  // masks: pixels are counted

  int64_t correct(ClassId id) const;
  int64_t correct_all(ClassId id) const;  // over all classes seen
  int64_t total(ClassId id) const;
};

struct EvaluateOptions {
  int64_t batch = 256;
  int loader_threads = 1;
};

// Runs the network, in evaluation mode, over the samples that show a class seen by the end of the
// task. Masks are counted pixel by pixel, without void. Throws Interrupted if a stop is requested.
Evaluation evaluate(Network& network, const DatasetPtr& dataset, const TaskPlan& plan,
                    const Task& task, const EvaluateOptions& options);

// The predicted class of each sample (or pixel) among all classes. With an unknown class
// (specification 5.13) scores are sigmoids, and unknown counts as background.
at::Tensor predict(const ModelOutput& output);

// Images: the predicted class among the classes of the head that holds the sample's label.
at::Tensor predict_in_task(const ModelOutput& output, const at::Tensor& labels,
                           const Network& network);

}  // namespace lethe
