#include "lethe/core/byte_mark.h"

#include <map>
#include <set>
#include <string_view>

#include "lethe/core/files.h"
#include "lethe/core/sha256.h"

namespace lethe {

namespace {

// h = sum of byte[i] * kBase^(n - 1 - i) modulo 2^64.
constexpr uint64_t kBase = 0x9E3779B97F4A7C15;

std::string_view as_text(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

uint64_t value_of(uint8_t byte) { return uint64_t{byte} + 1; }  // zeros count, too

uint64_t rolling_hash(std::span<const uint8_t> bytes) {
  uint64_t hash = 0;
  for (const uint8_t byte : bytes) hash = hash * kBase + value_of(byte);
  return hash;
}

// Calls visit(position, hash) for every window of the given length.
template <typename Visit>
void for_each_window(std::span<const uint8_t> text, size_t length, const Visit& visit) {
  if (length == 0 || text.size() < length) return;
  uint64_t leaving = 1;  // the factor of the byte that leaves the window
  for (size_t i = 0; i < length; ++i) leaving *= kBase;
  uint64_t hash = rolling_hash(text.first(length));
  visit(size_t{0}, hash);
  for (size_t end = length; end < text.size(); ++end) {
    hash = hash * kBase + value_of(text[end]) - leaving * value_of(text[end - length]);
    visit(end - length + 1, hash);
  }
}

}  // namespace

ByteMark mark_of(std::span<const uint8_t> bytes) {
  return {.bytes = static_cast<int64_t>(bytes.size()),
          .rolling = rolling_hash(bytes),
          .sha256 = sha256(as_text(bytes))};
}

std::vector<size_t> find_marks(const std::filesystem::path& file,
                               const std::vector<ByteMark>& marks) {
  std::map<int64_t, std::multimap<uint64_t, size_t>> by_length;  // rolling hash -> index
  for (size_t i = 0; i < marks.size(); ++i) by_length[marks[i].bytes].emplace(marks[i].rolling, i);
  const auto text = read_text(file);
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  std::set<size_t> found;
  for (const auto& [length, by_hash] : by_length) {
    const auto count = static_cast<size_t>(length);
    for_each_window(bytes, count, [&, &own = by_hash](size_t at, uint64_t hash) {
      const auto [first, last] = own.equal_range(hash);
      for (auto it = first; it != last; ++it) {
        if (sha256(as_text(bytes.subspan(at, count))) == marks[it->second].sha256)
          found.insert(it->second);
      }
    });
  }
  return {found.begin(), found.end()};
}

}  // namespace lethe
