// The suites on masks: the paper's Tables 2 to 5 and its figures (specification 8.2 to 8.6).
#pragma once

#include <vector>

#include "tools/suite/suite.h"

namespace lethe {

std::vector<Suite> mask_suites();

}  // namespace lethe
