#include "lethe/stream/event.h"

#include "lethe/core/error.h"

namespace lethe {

const char* name_of(EventKind kind) {
  switch (kind) {
    case EventKind::kLearn:
      return "learn";
    case EventKind::kForget:
      return "forget";
    case EventKind::kPurge:
      return "purge";
  }
  return "";
}

EventKind event_kind(const std::string& name) {
  for (const auto kind : kEventKinds) {
    if (name == name_of(kind)) return kind;
  }
  throw_error<DataError>("'{}' is not a kind of event", name);
}

}  // namespace lethe
