#include "lethe/core/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace lethe {

namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const size_t columns = b.size() + 1;
  std::vector<int> table((a.size() + 1) * columns);
  const auto at = [&](size_t i, size_t j) -> int& { return table[i * columns + j]; };
  for (size_t i = 0; i <= a.size(); ++i) at(i, 0) = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) at(0, j) = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return table.back();
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  // Up to half the letters may differ. A wild guess helps less than no guess.
  int limit = static_cast<int>(std::max<size_t>(2, word.size() / 2));
  for (const auto& candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance < limit || (distance == limit && !best)) {
      best = candidate;
      limit = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto guess = nearest(word, known);
  return guess ? "; did you mean '" + *guess + "'?" : "";
}

std::string choose_from(std::string_view word, const std::vector<std::string>& known) {
  const auto guess = did_you_mean(word, known);
  return fmt::format("{} known: {}", guess.empty() ? ";" : guess, fmt::join(known, ", "));
}

}  // namespace lethe
