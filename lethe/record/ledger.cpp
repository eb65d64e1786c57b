#include "lethe/record/ledger.h"

#include <fmt/chrono.h>

#include <ctime>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/relative_path.h"
#include "lethe/core/sha256.h"
#include "lethe/record/run_files.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr const char* kPrevious = "previous";
constexpr const char* kHash = "hash";

std::string hash_of(ordered_json line) {
  line.erase(kHash);
  return sha256(line.dump());
}

// Checks one line against the line before it.
ordered_json checked(const std::string& text, const std::string& previous, const fs::path& file,
                     size_t number) {
  const auto fail = [&](const std::string& what) {
    throw_error<DataError>("{}:{}: {}", file.string(), number, what);
  };
  auto line = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object() || !line.contains("event") || !line["event"].is_number_integer() ||
      !line.contains(kPrevious) || !line.contains(kHash) || !line[kHash].is_string())
    fail("is not a line of a ledger: the line was changed");
  if (line.dump() != text || line[kHash] != hash_of(line))
    fail("the line does not fit its own hash: it was changed");
  if (line[kPrevious] != previous)
    fail("the line does not follow the line before it: a line was removed, inserted or moved");
  return line;
}

}  // namespace

Ledger::Ledger(const fs::path& run) : file_(run / kLedgerFile) {
  if (!fs::exists(file_)) return;
  const auto text = read_text(file_);
  std::string previous;
  while (bytes_ < text.size()) {
    const auto end = text.find('\n', bytes_);
    if (end == std::string::npos) {
      torn_ = true;
      return;
    }
    lines_.push_back(
        checked(text.substr(bytes_, end - bytes_), previous, file_, lines_.size() + 1));
    previous = lines_.back()[kHash];
    bytes_ = end + 1;
  }
  const auto format =
      empty() ? kLedgerFormat : lines_.front().value(kLedgerFormatKey, kLedgerFormat);
  if (format > kLedgerFormat)
    throw_error<DataError>("{}: has format {}; this program reads formats up to {}", file_.string(),
                           format, kLedgerFormat);
}

int64_t Ledger::last_event() const { return empty() ? -1 : lines_.back()["event"].get<int64_t>(); }

std::string Ledger::head() const { return empty() ? "" : lines_.back()[kHash].get<std::string>(); }

const ordered_json* Ledger::line_of(int64_t event) const {
  for (const auto& line : lines_) {
    if (line["event"] == event) return &line;
  }
  return nullptr;
}

// Whoever wrote the ledger must not make this program remove other files.
void Ledger::require_within_run(const fs::path& name, const ordered_json& line) const {
  if (stays_below(name)) return;
  if (!lines_.empty() && lines_.front().value(kCacheKey, "") == name.string()) return;
  throw_error<DataError>(
      "{}: event {} lists '{}' as removed, which is outside of the run directory", file_.string(),
      line.at("event").get<int64_t>(), name.string());
}

std::set<std::string> Ledger::removed() const {
  std::set<std::string> names;
  for (const auto& line : lines_) {
    if (!line.contains("removed")) continue;
    for (const auto& name : line.at("removed")) {
      require_within_run(name, line);
      names.insert(name.get<std::string>());
    }
  }
  return names;
}

fs::path Ledger::cache_entry() const {
  if (lines_.empty() || !lines_.front().contains(kCacheKey)) return {};
  const fs::path entry = lines_.front().at(kCacheKey).get<std::string>();
  // Only what is certainly an entry: it will be removed with all its files.
  const auto name = entry.filename().string();
  const bool is_entry = entry.is_absolute() && name.size() == kCacheKeySize &&
                        name.find_first_not_of("0123456789abcdef") == std::string::npos &&
                        fs::exists(entry / kCachedVersion) && fs::exists(entry / kMetricsFile);
  return is_entry ? entry : fs::path();
}

void Ledger::append(ordered_json line) {
  line[kPrevious] = head();
  line[kHash] = hash_of(line);
  const auto text = line.dump();
  LineFile file(file_);
  if (torn_) file.truncate(static_cast<int64_t>(lines_.size()));
  torn_ = false;
  file.append(text);
  file.sync();
  bytes_ += text.size() + 1;
  lines_.push_back(std::move(line));
}

void Ledger::start_afresh() {
  LineFile(file_).truncate(0);
  lines_.clear();
  bytes_ = 0;
  torn_ = false;
}

std::string time_stamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace lethe
