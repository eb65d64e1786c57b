// Compares run directories: everything that must be equal, without wall times.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lethe/core/files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe::test {

// Removes times, the hashes that depend on them, and what the ledger says about a cache.
inline std::string without_time(nlohmann::ordered_json record) {
  for (const char* key :
       {"time", "begun", "asked", "seconds", "metrics", "previous", "hash", "from_cache", "cache"})
    record.erase(key);
  if (record.contains("retrained")) record["retrained"].erase("seconds");
  return record.dump() + '\n';
}

// The lines of a JSON lines file, each without times.
inline std::string without_time(const std::filesystem::path& file) {
  std::istringstream lines(read_text(file));
  std::string all;
  for (std::string line; std::getline(lines, line);)
    all += without_time(nlohmann::ordered_json::parse(line));
  return all;
}

// Every tensor (through the checksums), state, metric and ledger line of a run.
inline std::string fingerprint(const std::filesystem::path& run) {
  std::string all;
  for (const int64_t event : versions_of(run)) {
    const auto folder = version_of(run, event);
    all += folder.filename().string() + '\n' + read_text(folder / kSums);
  }
  for (const char* file : {"metrics.jsonl", "ledger.jsonl"}) all += without_time(run / file);
  for (const char* file : {"matrix.csv", "per_class.csv", "config.toml"})
    all += read_text(run / file);
  return all;
}

// The bytes of every file below a folder, by its path there.
inline std::map<std::string, std::string> files_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(folder).string()] = read_text(entry.path());
  }
  return files;
}

}  // namespace lethe::test
