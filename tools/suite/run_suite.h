// Runs a suite and builds its table: `lethe suite`.
#pragma once

#include <filesystem>
#include <string>

#include "tools/suite/suite_options.h"

namespace lethe {

// The folder of tables and records if none is given.
std::filesystem::path default_results();

// Returns the table. Throws like run().
std::string run_suite(SuiteOptions options);

}  // namespace lethe
