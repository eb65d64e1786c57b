// Measures how much information about forgotten classes remains in the features, independently of
// the output layer: how far their features have moved, whether a linear probe can still find them,
// and whether a few images are enough to recognise them again. The same figures of kept classes
// show whether the network was damaged: damage looks like forgetting.
//
// These are quick figures without a reference. A network that never saw a class does not reach 50 %
// either, so they are no verdict.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/data/dataset.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

struct ClassFeatures {
  // Mean distance of the features of the class to their mean before the request, divided by the
  // same distance before the request: 1 = they have not moved.
  double distance = 0;
  // Balanced accuracy of a linear probe (the class against the rest) on held-out images.
  double probe_before = 0, probe = 0;
  // 5-shot accuracy among the classes of its task (few_shot.h), or among all old classes if it is
  // alone in its task. Not set if there is nothing to compare it with.
  std::optional<double> shots_before = {}, shots = {};
};
ClassFeatures mean_of(const std::map<ClassId, ClassFeatures>& classes);

struct FeatureFigures {
  std::map<ClassId, ClassFeatures> forgotten;  // the classes of the requests
  std::map<ClassId, ClassFeatures> kept;       // kept classes that the version before knew
};

struct FeatureFigureOptions {
  int64_t images = 400;       // maximum number of images per dataset, evenly spread
  int64_t positions = 32768;  // maximum number of map positions per dataset, evenly spread
  int64_t batch = 32;
  int loader_threads = 1;
};

// The classes of one request, and the network at the end of the task before it.
struct BeforeRequest {
  ClassSet classes;
  std::shared_ptr<Network> network;
  int64_t task = 0;
};

// after is the network at the end of `task`. Probe and means are made from images of train and
// measured on images of eval. Classes with too few features in either dataset are skipped.
FeatureFigures feature_figures(const std::vector<BeforeRequest>& requests, Network& after,
                               const DatasetPtr& train, const DatasetPtr& eval,
                               const TaskPlan& plan, const Task& task,
                               const FeatureFigureOptions& options);

}  // namespace lethe
