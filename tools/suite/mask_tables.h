// The paper's Tables 2 to 5 and its figure over epochs, from records (specification 8.2 to 8.6).
#pragma once

#include "tools/suite/suite.h"

namespace lethe {

SuiteDocument table2_layout(const SuiteResults& results);  // methods on streams
SuiteDocument table3_layout(const SuiteResults& results);  // how many classes are forgotten
SuiteDocument table4_layout(const SuiteResults& results);  // the terms of the loss
SuiteDocument table5_layout(const SuiteResults& results);  // the spaces of dispersion
// Accuracy of forgotten and of new classes after every epoch, as a picture each.
SuiteDocument epochs_layout(const SuiteResults& results);

// The rows of Table 4, in order: which terms are on.
struct Ablation {
  const char* label;
  bool in_p, ex_p, in_d, ex_d;
};
const std::vector<Ablation>& ablations();

}  // namespace lethe
