// `lethe forget` and `lethe learn` as functions: carry out one more event on a finished run.
#pragma once

#include <filesystem>
#include <string>

#include "lethe/run/event_options.h"
#include "lethe/run/judged_event.h"

namespace lethe {

struct EventResult {
  bool accepted = true;  // false: the run is as it was, and the candidate waits for a decision
  std::string text;      // for the terminal
  EventFigures figures = {};
};

// Throws ConfigError, DataError, Error, or Interrupted with the command to continue. Until the
// event is complete, the run stays as it was.
EventResult add_event(const EventOptions& options);

// Drops an event that was interrupted or not accepted. Throws ConfigError if it is of another kind.
void discard_event(const std::filesystem::path& run, EventKind kind);

// What the event would do, without doing it. Throws like add_event().
std::string dry_run(const EventOptions& options);

}  // namespace lethe
