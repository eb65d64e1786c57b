#include "lethe/core/short_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lethe {

std::string short_list(const std::vector<std::string>& names, const std::string& plural) {
  constexpr size_t kMost = 6;
  constexpr std::ptrdiff_t kShown = 3;
  if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} {}: {}, ... ({} more)", names.size(), plural,
                     fmt::join(names.begin(), names.begin() + kShown, ", "), names.size() - kShown);
}

}  // namespace lethe
