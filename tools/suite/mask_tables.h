// The paper's Tables 2 to 5 and its figure over epochs, from records (specification 8.2 to 8.6).
#pragma once

#include "tools/suite/suite_results.h"

namespace lethe {

SuiteDocument table2_layout(const SuiteResults& results);  // methods on streams
SuiteDocument table3_layout(const SuiteResults& results);  // number of forgotten classes
SuiteDocument table4_layout(const SuiteResults& results);  // loss terms
SuiteDocument table5_layout(const SuiteResults& results);  // feature spaces of dispersion
// Accuracy of forgotten and of new classes after every epoch, a chart of each.
SuiteDocument epochs_layout(const SuiteResults& results);

}  // namespace lethe
