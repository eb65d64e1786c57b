// `lethe audit` as a function: measures how much of the forgotten classes is left in a version of a
// run, against oracles, and writes audit/NNN/audit.json and audit.html into the run directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lethe/audit/material.h"
#include "lethe/audit/record.h"
#include "lethe/run/audit_options.h"

namespace lethe {

struct AuditRequest {
  std::filesystem::path run;
  int64_t version = 0;                 // 0 = the newest
  std::vector<std::string> only = {};  // checks to make; empty = all
  std::string data =
      {};  // images to measure on: a configuration, preset or folder; empty = the run's
  int threads = 1;
};

// An oracle that is ready to be measured.
struct OracleReference {
  AuditModel model;
  ReferenceRecord record;
};
// Gives the oracles for a subject: trains those that are missing.
using OracleSource = std::function<std::vector<OracleReference>(const OpenedRun&, const Subject&)>;

// Measures; writes nothing. Throws like open_subject(), or Interrupted.
AuditRecord audit_version(const AuditRequest& request, const AuditOptions& options,
                          const OracleSource& oracles);

// The folder of an audit in the run directory.
std::filesystem::path audit_folder(const std::filesystem::path& run, int64_t version);

// Writes audit.json, and audit.html from it and from the audits of other versions.
void write_audit(const std::filesystem::path& run, const AuditRecord& record);

// Reads audit.json. Throws DataError.
AuditRecord read_audit(const std::filesystem::path& run, int64_t version);
// The versions that have an audit, ascending.
std::vector<int64_t> audited_versions(const std::filesystem::path& run);

}  // namespace lethe
