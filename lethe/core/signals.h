// SIGINT and SIGTERM ask the work to stop at the next good moment; it writes a checkpoint and says
// how to resume. A second signal ends the process at once.
#pragma once

namespace lethe {

void catch_stop_signals();
bool stop_requested();

}  // namespace lethe
