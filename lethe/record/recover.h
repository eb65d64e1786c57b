// Repairs a run directory after a process was killed. An event is complete if its line is in the
// ledger: versions without a line are removed, and what a line lists as removed is removed now.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lethe/record/ledger.h"

namespace lethe {

// What is wrong if there are versions of events after the last line of the ledger.
std::optional<std::string> lost_end(const std::filesystem::path& run, const Ledger& ledger);

// Call while the run directory is locked. Throws DataError if the ledger was changed, or if its
// last line is missing although later files depend on it.
void recover_run(const std::filesystem::path& run);

}  // namespace lethe
