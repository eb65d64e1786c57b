// Presets: built-in configurations. They are the files of configs/, compiled into the executable.
#pragma once

#include <string>
#include <vector>

namespace lethe {

struct Preset {
  std::string name;
  std::string toml;

  std::string summary() const;  // its first comment line
};

const std::vector<Preset>& presets();

}  // namespace lethe
