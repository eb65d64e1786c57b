// The layouts of a suite's tables, by the name that a suite file calls them.
#pragma once

#include <string>
#include <vector>

#include "tools/suite/suite_results.h"

namespace lethe {

struct Layout {
  const char* name;
  const char* summary;
  SuiteDocument (*make)(const SuiteResults&);
  bool has_charts = false;  // files of their own: only for suites that keep records
};

const std::vector<Layout>& layouts();

// Throws a ConfigError that suggests the closest known name.
const Layout& find_layout(const std::string& name);

}  // namespace lethe
