// A request to forget classes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lethe/core/class_set.h"

namespace lethe {

// A [[requests]] entry as the configuration has it.
struct RequestSpec {
  std::vector<std::string> classes;
  int64_t before_task = 0;  // 2 ... number of tasks + 1 (= after the last task)
};

// A request as the plan understood it.
struct Request {
  ClassSet classes;
  int64_t before_task = 0;
  bool by_fraction = false;  // made by stream.forget_fraction, not by a [[requests]] entry
};

}  // namespace lethe
