// The paper's Table 1 (specification 8.1) beside our own rows, and which of its trends are
// reproduced (8.6).
#pragma once

#include "tools/suite/suite_results.h"

namespace lethe {

SuiteDocument table1_layout(const SuiteResults& results);

}  // namespace lethe
