// Events: what happens to the model of a run. The configuration gives the first events, commands
// add later ones (`lethe learn`, `lethe forget`, `lethe purge`).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lethe {

enum class EventKind {
  kLearn,   // learns new classes; may also carry out requests
  kForget,  // carries out a request
  kPurge,   // erases forgotten classes from the model; trains nothing
};
inline constexpr std::array kEventKinds = {EventKind::kLearn, EventKind::kForget,
                                           EventKind::kPurge};
const char* name_of(EventKind kind);
// The kind with this name. Throws DataError if there is none.
EventKind event_kind(const std::string& name);

// An event that a command adds to a finished run.
struct LaterEvent {
  EventKind kind = EventKind::kForget;
  std::vector<std::string> classes;  // the new classes, those to forget, or those to erase
  bool with_images = false;          // kForget: trains on images of kept classes
  // with_images: also on images of the classes to forget. exact: also on images that show one of
  // them besides kept classes (segmentation).
  bool forgotten_images = false;
  std::optional<int64_t> epochs;  // with images; not set = as for the tasks of the configuration
  std::optional<int64_t> steps;   // kForget without images; not set = request.steps
  // kForget: the stream is trained again from the beginning, without the forgotten classes. All
  // other fields but classes and forgotten_images are unset.
  bool exact = false;
};

}  // namespace lethe
