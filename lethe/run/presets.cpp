#include "lethe/run/presets.h"

namespace lethe {

std::string Preset::summary() const {
  const auto line = toml.substr(0, toml.find('\n'));
  return line.starts_with("# ") ? line.substr(2) : "";
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
#include "configs.inc"
  };
  return all;
}

}  // namespace lethe
