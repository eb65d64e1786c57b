// What stays in a run directory after a request: the keys [forget] protocol, keep_before, pictures
// and [run] keep_versions.
#pragma once

#include <cstdint>
#include <vector>

#include "lethe/core/config.h"

namespace lethe {

// When the classes of a request are erased.
enum class Protocol {
  kErase,  // at the end of the event that carries out the request
  kPaper,  // at the end of the run: later tasks go on acting on forgotten classes, and F is
           // measured with their classifier rows in place
};
const char* name_of(Protocol protocol);

struct KeepOptions {
  Protocol protocol = Protocol::kErase;
  bool keep_before = false;   // keep the versions that know a forgotten class
  int64_t keep_versions = 2;  // how many of the newest versions stay; 0 = all. Not with keep_before
  bool pictures = false;      // write pictures that show test images of forgotten classes
};
Fields config_fields(KeepOptions& options);

// The versions to remove when an event is complete.
struct EventClosed {
  std::vector<int64_t> versions;  // that exist, ascending, including that of the event
  int64_t event = 0;
  bool is_last = false;  // of the configuration's events
  int64_t learned_in =
      0;  // the first event that learned a class erased now; 0 = nothing was erased
};
std::vector<int64_t> versions_to_remove(const EventClosed& closed, const KeepOptions& options);

}  // namespace lethe
