// One page about all built-in suites that have records: the command of each, its time and its
// result (docs/reproducing.md).
#pragma once

#include <cstdint>
#include <filesystem>

namespace lethe {

// Reads the records below results/records, writes the pages of all suites again, then the page
// about all of them to `file`. Returns the number of records. Throws DataError without records.
int64_t write_overview(const std::filesystem::path& results, const std::filesystem::path& file);

}  // namespace lethe
