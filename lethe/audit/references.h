// The oracles of an audit: trained if they are missing, then loaded.
#pragma once

#include <string>

#include "lethe/audit/audit.h"

namespace lethe {

struct ReferenceJobs {
  int side_by_side = 1;  // processes of one thread each
  std::string program;   // that trains them; empty = this one
};

// Trains what the cache does not have. options must outlive the result.
OracleSource trained_oracles(const AuditOptions& options, const ReferenceJobs& jobs);

}  // namespace lethe
