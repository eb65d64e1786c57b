// The [stream] section and the [[requests]] entries of a configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/core/config.h"
#include "lethe/stream/event.h"
#include "lethe/stream/request.h"

namespace lethe {

// The classes that the softmax of a classification loss covers.
enum class Scenario {
  kTask,   // the classes of one task: the task is known at test time (the paper)
  kClass,  // all classes seen except forgotten ones: the task need not be known
};

enum class ForgetRound { kCeil, kFloor };
enum class ForgetScope { kAll, kAllButLast, kFirst };

struct StreamOptions {
  std::vector<std::vector<std::string>> task_names;  // one list of class names per task
  std::vector<int64_t> task_sizes;  // or task sizes in class order; both empty = one task
  std::vector<std::string> order;   // class order for task_sizes; empty = the dataset's order
  Scenario scenario = Scenario::kTask;
  // [0, 1): fraction of each task's classes to forget, starting with the first class.
  double forget_fraction = 0.0;
  ForgetRound forget_round = ForgetRound::kCeil;
  std::optional<ForgetScope> forget_scope;  // unset = all tasks (segmentation: the first)
  std::vector<RequestSpec> requests;

  // Not configuration keys: events that commands added after the tasks of the configuration, and
  // the number of classes that the dataset had when the run began (0 = all that it has now).
  std::vector<LaterEvent> later = {};
  int64_t own_classes = 0;
  // Classes that the stream is without, by class id: they keep their ids and their outputs, but no
  // task learns them. A task without any other class vanishes. For retraining without them.
  ClassSet absent = {};
  bool absent_shown = false;  // segmentation: images that show them are used, as background
};

Fields config_fields(StreamOptions& options);

}  // namespace lethe
