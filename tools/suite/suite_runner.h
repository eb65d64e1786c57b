// Does the runs of a suite, one after the other.
#pragma once

#include <vector>

#include "tools/suite/suite.h"
#include "tools/suite/suite_options.h"
#include "tools/suite/suite_record.h"

namespace lethe {

// Checks every chosen run before the first one starts. Writes a record of each finished run if the
// suite keeps records. Throws like run(), and ConfigError for an unknown name in --only or
// --datasets, a missing dataset, or an existing record of another run.
std::vector<SuiteRecord> run_all(const Suite& suite, const SuiteProfile& profile,
                                 const SuiteOptions& options);

}  // namespace lethe
