// Tables of audits: one per dataset and check, and what they cost.
#pragma once

#include "tools/suite/suite_results.h"

namespace lethe {

SuiteDocument audit_layout(const SuiteResults& results);

}  // namespace lethe
