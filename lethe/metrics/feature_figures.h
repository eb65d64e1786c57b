// What is left of forgotten classes in the features themselves, where a changed output layer hides
// nothing: how far their features have moved, and whether a linear classifier still finds them.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/data/dataset.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

struct ClassFeatures {
  // Mean distance of the class's features to the mean they had before, in units of their mean
  // distance then: 1 = they have not moved.
  double distance = 0;
  // Balanced accuracy, on held-out images, of a linear classifier of the class against the rest;
  // 0.5 = nothing is left to find.
  double probe_before = 0, probe = 0;
};

struct FeatureFigures {
  std::map<ClassId, ClassFeatures> classes;
  ClassFeatures mean() const;
};

struct FeatureFigureOptions {
  int64_t images = 400;       // of each part of the data, evenly spread
  int64_t positions = 32768;  // of each part at most, evenly spread: large maps have millions
  int64_t batch = 32;
  int loader_threads = 1;
};

// Classes that one request named, and the network at the end of the task before it.
struct BeforeRequest {
  ClassSet classes;
  std::shared_ptr<Network> network;
};

// after: now, at the end of `task`. The probe learns on images of train and is measured on those of
// eval. Classes without features in either are left out.
FeatureFigures feature_figures(const std::vector<BeforeRequest>& requests, Network& after,
                               const DatasetPtr& train, const DatasetPtr& eval,
                               const TaskPlan& plan, const Task& task,
                               const FeatureFigureOptions& options);

}  // namespace lethe
