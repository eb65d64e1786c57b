// "did you mean ...": the known word closest to a misspelt one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lethe {

// Insertions, deletions, replacements and swaps of neighbours that turn a into b, ignoring case.
int edit_distance(std::string_view a, std::string_view b);

// The closest of known, if it is close enough to be what was meant.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean 'x'?" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

// "; did you mean 'x'? known: x, y" or "; known: x, y", for short lists.
std::string choose_from(std::string_view word, const std::vector<std::string>& known);

}  // namespace lethe
