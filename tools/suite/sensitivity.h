// Charts of a sweep, such as the paper's sensitivity figure: A, F and S for several ratios lambda_p
// : lambda_d.
#pragma once

#include "tools/suite/suite_results.h"

namespace lethe {

// The plain table and, for every dataset, a chart of A, F and S over the runs.
SuiteDocument chart_layout(const SuiteResults& results);

// The same for the runs "10:1" to "1:10"; also says which trends of the paper they show.
SuiteDocument sensitivity_layout(const SuiteResults& results);

}  // namespace lethe
