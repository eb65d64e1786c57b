// Checks the files of a run directory against its ledger.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

struct Verification {
  std::vector<std::string> problems;  // each names a file
  std::vector<std::string> notes;     // worth knowing, but no problem
  int64_t events = 0;                 // in the ledger
  int64_t files = 0;                  // files whose hash was compared
  std::string head;                   // hash of the last line
  std::vector<std::string> heads;     // hashes of all lines: the heads that commands printed

  bool passed() const { return problems.empty(); }
};

// Checks the chain of the ledger, then config.toml, environment.json, every version, metrics.jsonl
// and the tables. Reads only. Throws DataError if it is not a run directory of this version of
// lethe.
Verification verify_run(const std::filesystem::path& run);

// Throws a DataError with the first problem, if there is one. For commands that build on the run.
void require_intact(const std::filesystem::path& run);

// The same for features.json and predictions.png alone: for an event that was interrupted and goes
// on without writing them.
void require_evidence(const std::filesystem::path& run);

// Throws DataError if the folder is not a run directory of this version of lethe.
void require_run(const std::filesystem::path& run);

}  // namespace lethe
