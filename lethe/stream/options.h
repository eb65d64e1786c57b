// The [stream] section and the [[requests]] entries of a configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/stream/request.h"

namespace lethe {

// Which classes a softmax of a classification loss covers.
enum class Scenario {
  kTask,   // the classes of one task: at test time somebody knows the task (the paper)
  kClass,  // all classes seen, without the forgotten ones: nobody has to know the task
};

enum class ForgetRound { kCeil, kFloor };
enum class ForgetScope { kAll, kAllButLast, kFirst };

struct StreamOptions {
  std::vector<std::vector<std::string>> task_names;  // tasks as lists of names, or
  std::vector<int64_t> task_sizes;  // as sizes in class order; both empty = all in one task
  std::vector<std::string> order;   // class order for sizes; empty = the dataset's order
  Scenario scenario = Scenario::kTask;
  double forget_fraction =
      0.0;  // [0, 1): share of the classes of every task in scope, from the first
  ForgetRound forget_round = ForgetRound::kCeil;
  std::optional<ForgetScope> forget_scope;  // not set = all tasks; for masks the first
  std::vector<RequestSpec> requests;
};

Fields config_fields(StreamOptions& options);

}  // namespace lethe
