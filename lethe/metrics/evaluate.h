// Evaluates a network on a dataset. The result is a confusion matrix, from which all metrics can be
// computed, also for later requests.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "lethe/data/dataset.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

struct Evaluation {
  // int64 [C, C], row = true class, column = predicted class, in stream order. Classification: the
  // task of every image is given, so predictions are classes of that task.
  at::Tensor confusion;
  // Classification: the same, but predictions are chosen among all classes seen. Segmentation:
  // undefined.
  at::Tensor confusion_all = {};
  ClassSet without = {};  // classes that were erased before: they are not evaluated
  int64_t images = 0;
  Problem problem = Problem::kImages;  // segmentation: counts are pixels

  int64_t correct(ClassId id) const;
  int64_t correct_all(ClassId id) const;  // over all classes seen
  int64_t total(ClassId id) const;
};

struct EvaluateOptions {
  int64_t batch = 256;
  int loader_threads = 1;
};

// Runs the network in evaluation mode on the samples that contain a class seen by the end of the
// task. Segmentation: counts all pixels except void. Throws Interrupted if a stop is requested.
Evaluation evaluate(Network& network, const DatasetPtr& dataset, const TaskPlan& plan,
                    const Task& task, const EvaluateOptions& options);

// The predicted class of each sample (or pixel) among all classes. If the network has an unknown
// class (specification 5.13), scores are sigmoids and unknown counts as background.
at::Tensor predict(const ModelOutput& output);

// Classification: the predicted class among the classes of the head that contains the sample's
// label.
at::Tensor predict_in_task(const ModelOutput& output, const at::Tensor& labels,
                           const Network& network);

}  // namespace lethe
