// What the commands of `lethe data` are asked about: a configuration, a preset, the name of a data
// set, or a folder whose data set is told by its files.
#pragma once

#include <string>
#include <vector>

#include "lethe/run/run_config.h"

namespace lethe {

// Configures config.data, and the rest if it is a configuration or a preset: true then. Throws
// ConfigError, or DataError if a folder holds no data set that is known.
bool configure_data(RunConfig& config, const std::string& config_or_path,
                    const std::vector<std::string>& sets);

}  // namespace lethe
