#include "lethe/data/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/sha256.h"
#include "lethe/core/text.h"
#include "lethe/data/file_hashes.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_split(const std::string& text) {
  return text == kTrainSplit || text == kTestSplit || text == kBothSplits;
}

int64_t integer(const ordered_json& line, const char* key) {
  const auto& value = line.at(key);
  if (!value.is_number_integer()) throw_error<DataError>("{} is not an integer", key);
  return value.get<int64_t>();
}

ManifestEntry parse_entry(const std::string& text) {
  const auto line = ordered_json::parse(text);
  ManifestEntry entry = {.name = line.at("name"),
                         .split = line.at("split"),
                         .classes = line.at("classes"),
                         .bytes = integer(line, "bytes"),
                         .modified_ns = integer(line, "modified_ns"),
                         .sha256 = line.at("sha256")};
  if (!is_split(entry.split)) throw_error<DataError>("split '{}' is unknown", entry.split);
  if (!is_sha256(entry.sha256)) throw DataError("sha256 is not a SHA-256 in lower-case hex");
  return entry;
}

}  // namespace

Manifest::Manifest(std::vector<ManifestEntry> entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(),
            [](const ManifestEntry& a, const ManifestEntry& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(
      entries_.begin(), entries_.end(),
      [](const ManifestEntry& a, const ManifestEntry& b) { return a.name == b.name; });
  if (twice != entries_.end()) throw_error<Error>("{}: occurs twice in the manifest", twice->name);
}

const ManifestEntry* Manifest::find(const std::string& name) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), name,
      [](const ManifestEntry& entry, const std::string& wanted) { return entry.name < wanted; });
  return found != entries_.end() && found->name == name ? &*found : nullptr;
}

std::string Manifest::root() const {
  Sha256 sum;
  for (const auto& entry : entries_) {
    sum.add(entry.name.c_str(), entry.name.size() + 1);  // with the final '\0': no name contains it
    const auto rest = fmt::format("{} {} {}\n", entry.split, entry.bytes, entry.sha256);
    sum.add(rest.data(), rest.size());
  }
  return sum.hex();
}

std::string Manifest::to_text() const {
  std::string text;
  for (const auto& entry : entries_) {
    const ordered_json line = {{"name", entry.name},
                               {"split", entry.split},
                               {"classes", entry.classes},
                               {"bytes", entry.bytes},
                               {"modified_ns", entry.modified_ns},
                               {"sha256", entry.sha256}};
    text += line.dump() + '\n';
  }
  return text;
}

Manifest Manifest::parse(const std::string& text, const std::string& origin) {
  std::vector<ManifestEntry> entries;
  std::set<std::string> names;
  std::istringstream lines(text);
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      entries.push_back(parse_entry(line));
    } catch (const std::exception& error) {
      throw_error<DataError>("{}:{}: is not an entry of a manifest: {}", origin, number,
                             error.what());
    }
    if (!names.insert(entries.back().name).second) {
      throw_error<DataError>("{}:{}: {} occurs twice", origin, number,
                             visible(entries.back().name));
    }
  }
  return Manifest(std::move(entries));
}

Manifest make_manifest(const std::vector<DataFile>& files, const Manifest* known, int threads) {
  std::vector<ManifestEntry> entries;
  std::vector<size_t> unknown;
  std::vector<fs::path> paths;
  for (const auto& file : files) {
    const auto stamp = stamp_of(file.path);
    if (!stamp) throw_error<DataError>("{}: no such file", file.path.string());
    const auto* same = known == nullptr ? nullptr : known->find(file.name);
    const bool is_known = same != nullptr && same->stamp() == *stamp;
    if (!is_known) {
      unknown.push_back(entries.size());
      paths.push_back(file.path);
    }
    entries.push_back({.name = file.name,
                       .split = file.split,
                       .classes = file.classes,
                       .bytes = stamp->bytes,
                       .modified_ns = stamp->modified_ns,
                       .sha256 = is_known ? same->sha256 : ""});
  }
  auto hashes = hashes_of(paths, threads);
  for (size_t i = 0; i < unknown.size(); ++i) entries[unknown[i]].sha256 = std::move(hashes[i]);
  return Manifest(std::move(entries));
}

}  // namespace lethe
