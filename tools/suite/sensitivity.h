// The paper's sensitivity figure: A, F, S over lambda_p : lambda_d.
#pragma once

#include "tools/suite/suite.h"

namespace lethe {

// Runs "10:1", ..., "1:10": 10:1 multiplies lambda_p by 10 from the default, 1:10 lambda_d.
std::vector<SuiteRun> sensitivity_runs(double lambda_p, double lambda_d);

// The plain table and a picture of it.
SuiteDocument sensitivity_layout(const SuiteResults& results);

}  // namespace lethe
