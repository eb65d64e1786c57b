// Erases classes from a finished run that were forgotten but are still in its newest version: runs
// with forget.protocol = "paper" and forget.keep_before = true. `lethe purge --apply` calls it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

// An event without training: writes a new version without the classes, completes it in the ledger
// and removes the versions that knew them. Call while the run directory is locked. If it is
// interrupted, the run is as before. Throws ConfigError if the run is not finished or an event is
// pending, DataError if a file of the run or a test image of a kept class was changed.
void erase_forgotten(const std::filesystem::path& run, const std::vector<std::string>& classes,
                     int threads);

}  // namespace lethe
