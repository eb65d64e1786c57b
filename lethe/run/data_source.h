// The argument of the `lethe data` commands: a configuration, a preset, the name of a dataset, or a
// folder whose dataset is recognised by its files.
#pragma once

#include <string>
#include <vector>

#include "lethe/run/run_config.h"

namespace lethe {

// Configures config.data. For a configuration or a preset, configures the rest of config too and
// returns true; otherwise returns false. Throws ConfigError, or DataError if a folder contains no
// known dataset.
bool configure_data(RunConfig& config, const std::string& config_or_path,
                    const std::vector<std::string>& sets);

}  // namespace lethe
