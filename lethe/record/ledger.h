// The ledger of a run, ledger.jsonl: one line per event, only ever appended. Every line contains
// the SHA-256 of the line before it and of itself. A line that was changed, inserted or removed is
// therefore noticed, except for removed last lines. To notice those, store the head hash elsewhere.
//
// An event is complete as soon as its line is on disk. If the line is missing, recover_run()
// discards what the process wrote. If it is there, recover_run() finishes what the line says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace lethe {

// The format of the lines, in line 1.
inline constexpr const char* kLedgerFormatKey = "format";
inline constexpr int64_t kLedgerFormat = 1;

// The data of an event (lethe/run/data_record.h): its list of files, and the SHA-256 of that list.
inline constexpr const char* kDataKey = "data";
inline constexpr const char* kManifestKey = "manifest";
inline constexpr const char* kManifestHashKey = "manifest_sha256";

// In line 1: the entry of the cache that holds the first task of the run, an absolute path. Erasing
// a class of the first task removes the entry.
inline constexpr const char* kCacheKey = "cache";
inline constexpr size_t kCacheKeySize = 16;               // hexadecimal digits of its name
inline constexpr const char* kCachedVersion = "version";  // the folder of the model within it

class Ledger {
 public:
  // Reads and checks the file of a run directory. No file = no lines. Throws DataError that names
  // the first bad line. A last line without its newline was interrupted while it was written; it is
  // not part of the ledger. Throws DataError if a newer version of the program wrote the file.
  explicit Ledger(const std::filesystem::path& run);

  const std::vector<nlohmann::ordered_json>& lines() const { return lines_; }
  bool empty() const { return lines_.empty(); }
  bool has_torn_line() const { return torn_; }
  // The number of the last event; -1 without lines.
  int64_t last_event() const;
  // The hash of the last line; empty without lines.
  std::string head() const;
  // The line of an event; null if there is none.
  const nlohmann::ordered_json* line_of(int64_t event) const;
  // All files and folders that a line lists as removed. None of them is ever written again, except
  // for an entry of a cache.
  std::set<std::string> removed() const;
  // The entry of the cache that holds the first task; empty if there is none.
  std::filesystem::path cache_entry() const;

  // Adds the keys "previous" and "hash", writes the line and waits until it is on disk. Removes a
  // torn line first.
  void append(nlohmann::ordered_json line);

  // Removes all lines, for a run that starts from the beginning.
  void start_afresh();

 private:
  void require_within_run(const std::filesystem::path& name,
                          const nlohmann::ordered_json& line) const;

  std::filesystem::path file_;
  std::vector<nlohmann::ordered_json> lines_;
  size_t bytes_ = 0;  // of the complete lines
  bool torn_ = false;
};

// The current time as it appears in the ledger, in UTC: "2026-11-18T02:37:00Z".
std::string time_stamp();

}  // namespace lethe
