// Charts of a sweep; the paper's sensitivity figure: A, F, S over lambda_p : lambda_d.
#pragma once

#include "tools/suite/suite_results.h"

namespace lethe {

// The plain table and, for every dataset, a chart of A, F and S over the runs.
SuiteDocument chart_layout(const SuiteResults& results);

// The same for runs "10:1" to "1:10", with the trends of the paper.
SuiteDocument sensitivity_layout(const SuiteResults& results);

}  // namespace lethe
