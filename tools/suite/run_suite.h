// Runs a suite and builds its table: `lethe suite`.
#pragma once

#include <string>

#include "tools/suite/suite_options.h"

namespace lethe {

// Returns the table. Throws like run().
std::string run_suite(SuiteOptions options);

}  // namespace lethe
