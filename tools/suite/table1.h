// The paper's Table 1 (specification 8.1) beside our own rows, and whether its trends hold (8.6).
#pragma once

#include "tools/suite/suite.h"

namespace lethe {

SuiteDocument table1_layout(const SuiteResults& results);

}  // namespace lethe
