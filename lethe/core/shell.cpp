#include "lethe/core/shell.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace lethe {

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("_-./+=:,@%", c) != nullptr;
  });
  if (plain) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + '\'';
}

}  // namespace lethe
