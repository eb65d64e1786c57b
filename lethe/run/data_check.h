// `lethe data check`: reads a data set whole and says what is in it.
#pragma once

#include <string>
#include <vector>

namespace lethe {

// config_or_path: a configuration, a preset, or a folder whose data set is told by its files.
// Throws DataError if something is wrong with the data, ConfigError if the plan does not fit it.
std::string check_data(const std::string& config_or_path, const std::vector<std::string>& sets);

}  // namespace lethe
