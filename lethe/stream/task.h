// A Task is one event of the stream, as the trainer sees it. It has new classes, requests that are
// due, or both.
#pragma once

#include <cstdint>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/stream/options.h"
#include "lethe/stream/request.h"

namespace lethe {

struct Task {
  int64_t number = 0;             // from 1
  ClassSet new_classes;           // empty in a request-only event, which has no images
  ClassSet kept;                  // old classes to keep; segmentation: includes background
  ClassSet forgotten;             // old classes of all requests that are due so far
  ClassSet requested;             // the classes of forgotten whose request is due in this event
  std::vector<Request> requests;  // the requests that this event carries out
  Scenario scenario = Scenario::kTask;

  bool has_images() const { return !new_classes.empty(); }
  ClassSet seen() const { return kept | forgotten | new_classes; }
};

}  // namespace lethe
