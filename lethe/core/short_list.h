// Lists of names in messages: short enough for one line.
#pragma once

#include <string>
#include <vector>

namespace lethe {

// "apple, baby" as it is; more than six names become "20 classes: apple, aquarium_fish, baby, ...
// (17 more)". Complete lists belong in files.
std::string short_list(const std::vector<std::string>& names,
                       const std::string& plural = "classes");

}  // namespace lethe
