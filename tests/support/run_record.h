// Compares run directories: everything that must be equal, without wall times.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lethe/core/files.h"

namespace lethe::test {

// The lines of a JSON lines file without the key "time".
inline std::string without_time(const std::filesystem::path& file) {
  std::istringstream lines(read_text(file));
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    auto record = nlohmann::ordered_json::parse(line);
    record.erase("time");
    all += record.dump() + '\n';
  }
  return all;
}

// Every tensor (through the checksums), state, metric and ledger line of a run.
inline std::string fingerprint(const std::filesystem::path& run) {
  namespace fs = std::filesystem;
  std::string all;
  for (int64_t task = 1;; ++task) {
    const auto folder = run / "checkpoints" / ("task-0" + std::to_string(task));
    if (!fs::exists(folder)) break;
    all += folder.filename().string() + '\n' + read_text(folder / "SHA256SUMS");
  }
  for (const char* file : {"metrics.jsonl", "requests.jsonl"}) all += without_time(run / file);
  for (const char* file : {"matrix.csv", "per_class.csv", "config.toml"})
    all += read_text(run / file);
  return all;
}

}  // namespace lethe::test
