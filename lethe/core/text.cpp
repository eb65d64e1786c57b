#include "lethe/core/text.h"

#include <fmt/format.h>

namespace lethe {

namespace {

std::string escape(unsigned char c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", c);
  }
}

}  // namespace

std::string visible(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (c < 0x20 || c == 0x7f) {
      result += escape(c);
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      // U+0080 to U+009F in UTF-8: control characters too, e.g. U+009B starts an escape sequence.
      result += escape(static_cast<unsigned char>(next));
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string counted(int64_t count, std::string_view noun, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, plural);
}

}  // namespace lethe
