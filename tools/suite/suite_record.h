// The record of a finished run of a suite: a small JSON file committed with the source, so that
// tables can be regenerated and a suite can be continued without the run directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lethe/audit/record.h"
#include "lethe/record/outcome.h"
#include "lethe/run/identity.h"

namespace lethe {

struct SuiteRecord {
  std::string suite, profile, data, label;
  int64_t seed = 0;
  RunIdentity identity;
  RunOutcome outcome;
  std::string commit, libtorch;
  int threads = 1;
  double seconds = 0;    // wall time; if resumed, only that of the last session
  bool resumed = false;  // part of it was reused: from an earlier session or a shared first task
  // Of suites with an audit: the checks, without their classes, and the references.
  std::vector<CheckRecord> audit = {};
  std::vector<ReferenceRecord> audit_references = {};
  double audit_request_seconds = 0;
};

// <folder>/<suite>-<profile>-<data>-<run>-s<seed>.json
std::filesystem::path record_path(const std::filesystem::path& folder, const SuiteRecord& record,
                                  const std::string& run);

void write_record(const std::filesystem::path& path, const SuiteRecord& record);

// Throws DataError naming the file.
SuiteRecord read_record(const std::filesystem::path& path);

// All records of a suite and profile in a folder, sorted by file name.
std::vector<SuiteRecord> read_records(const std::filesystem::path& folder, const std::string& suite,
                                      const std::string& profile);

}  // namespace lethe
