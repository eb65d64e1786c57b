// Evaluation counts; it does not judge. What comes out is a confusion matrix, from which every
// metric can be formed, also for requests that are made later.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "lethe/data/dataset.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

struct Evaluation {
  at::Tensor confusion;  // int64 [C, C], row = truth, column = prediction, classes in stream order
  int64_t images = 0;
  Problem problem = Problem::kImages;  // masks: pixels are counted

  int64_t correct(ClassId id) const;
  int64_t total(ClassId id) const;
};

struct EvaluateOptions {
  int64_t batch = 256;
  int loader_threads = 1;
};

// Runs the network over the samples that show a class seen by the end of task. Puts it in
// evaluation mode, and back. Classification takes the head of the sample's own task
// (Problem::kImages); masks count pixel by pixel without void. Throws Interrupted if a stop is
// requested.
Evaluation evaluate(Network& network, const DatasetPtr& dataset, const TaskPlan& plan,
                    const Task& task, const EvaluateOptions& options);

// The class that each sample (or pixel) is given. labels tell the head in a space of their own per
// task. With an unknown class (specification 5.13) scores are sigmoids and what is unknown counts
// for background.
at::Tensor predict(const ModelOutput& output, const at::Tensor& labels, const Network& network);

}  // namespace lethe
