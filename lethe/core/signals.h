// SIGINT (Ctrl-C) and SIGTERM ask the program to stop at the next safe point: a run writes a
// checkpoint and prints how to resume it. A second signal ends the process at once.
#pragma once

namespace lethe {

void catch_stop_signals();

bool stop_requested();

// The signal that asked to stop, or 0.
int stop_signal();

}  // namespace lethe
