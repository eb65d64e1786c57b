// A Task is one event of the stream as training sees it: new classes arrive, requests are due, or
// both.
#pragma once

#include <cstdint>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/stream/options.h"
#include "lethe/stream/request.h"

namespace lethe {

struct Task {
  int64_t number = 0;             // from 1
  ClassSet new_classes;           // empty: an event with requests only, without images
  ClassSet kept;                  // old classes to keep; background always
  ClassSet forgotten;             // old classes to forget, over all requests due so far
  ClassSet requested;             // the classes of forgotten that are requested in this event
  std::vector<Request> requests;  // the requests carried out in this event
  Scenario scenario = Scenario::kTask;

  bool has_images() const { return !new_classes.empty(); }
  ClassSet seen() const { return kept | forgotten | new_classes; }
};

}  // namespace lethe
