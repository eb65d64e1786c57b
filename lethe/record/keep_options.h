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
  bool keep_before = false;  // keep the versions that know a forgotten class
  int64_t keep_versions =
      2;                  // how many of the newest versions stay; 0 = all. Ignored with keep_before
  bool pictures = false;  // write pictures that show test images of forgotten classes
};
Fields config_fields(KeepOptions& options);

// A complete event, for versions_to_remove().
struct EventClosed {
  std::vector<int64_t> versions;  // existing versions, ascending, with the new one
  int64_t event = 0;
  bool is_last = false;  // of the configuration's events
  int64_t learned_in =
      0;  // the first event that learned a class erased now; 0 = nothing was erased
};
// The versions to remove when an event is complete.
std::vector<int64_t> versions_to_remove(const EventClosed& closed, const KeepOptions& options);

// How many versions exist at the same time, at most, in a run with that many events.
int64_t most_versions(const KeepOptions& options, int64_t events);

}  // namespace lethe
