// Suggestions for misspelled words: "did you mean ...".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lethe {

// The number of insertions, deletions, replacements and swaps of adjacent letters that turn a into
// b, ignoring case.
int edit_distance(std::string_view a, std::string_view b);

// The closest known word, or std::nullopt if none is close enough.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean 'x'?", or "" if no known word is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

// "; did you mean 'x'? known: x, y" or "; known: x, y", for short lists.
std::string choose_from(std::string_view word, const std::vector<std::string>& known);

}  // namespace lethe
