// Built-in configurations: the files of configs/, compiled in.
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
