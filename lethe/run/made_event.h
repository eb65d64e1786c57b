// Checks what a command asks for (`lethe forget`, `lethe learn`) and describes it as an event.
#pragma once

#include "lethe/run/event_options.h"
#include "lethe/run/finished_run.h"

namespace lethe {

// Reads the data of the options, writes nothing. Throws ConfigError if the event is not possible.
AddedEvent made_event(const EventOptions& options, const RunConfig& config, const FinishedRun& run);

}  // namespace lethe
