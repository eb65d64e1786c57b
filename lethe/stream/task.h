// A Task is one event of the stream, as the trainer sees it. It has new classes, requests that are
// due, or both. A purge has neither.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/stream/event.h"
#include "lethe/stream/options.h"
#include "lethe/stream/request.h"

namespace lethe {

struct Task {
  int64_t number = 0;             // from 1
  ClassSet new_classes;           // empty in an event that only forgets
  ClassSet kept;                  // old classes to keep; segmentation: includes background
  ClassSet forgotten;             // old classes of all requests that are due so far
  ClassSet requested;             // the classes of forgotten whose request is due in this event
  std::vector<Request> requests;  // the requests that this event carries out
  Scenario scenario = Scenario::kTask;
  bool on_kept_images = false;  // an event that only forgets trains on images of kept classes
  // on_kept_images: also on images of the requested classes. The loss of such an image is a uniform
  // prediction (classification); its pixels are background (segmentation).
  bool on_forgotten_images = false;
  // An event that only forgets: the model is trained again without the forgotten classes, before
  // this event. The event itself trains nothing.
  bool retrained = false;
  std::optional<int64_t> epochs;  // not set = as [train] says
  std::optional<int64_t> steps;   // of an event without images; not set = request.steps
  // Forgotten by an earlier event and erased from the model. In no other set of this task. The
  // trainer fills it in: whether a class was erased depends on the verdict.
  ClassSet erased = {};
  ClassSet purged = {};  // forgotten by an earlier event; this event erases them, without training
  // In a stream without some classes (StreamOptions::absent): those of them that get outputs in
  // this event, and the numbers of outputs, one per head. heads is empty in any other stream.
  ClassSet absent = {};
  std::vector<int64_t> heads = {};

  bool learns() const { return !new_classes.empty(); }
  bool has_images() const { return learns() || on_kept_images; }
  bool purges() const { return !purged.empty(); }
  // Whether the method takes part.
  bool trains() const { return !purges() && !retrained; }
  // The numbers of outputs that the network gets, one per head.
  std::vector<int64_t> new_heads() const;
  EventKind kind() const;
  ClassSet seen() const { return kept | forgotten | new_classes; }

  // The same task for a model from which these classes were erased.
  Task without(const ClassSet& gone) const;
};

}  // namespace lethe
