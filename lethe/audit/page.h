// The page of an audit, audit.html: made from its record alone.
#pragma once

#include <string>
#include <vector>

#include "lethe/audit/record.h"

namespace lethe {

// history: the audits of other versions of the same run, for the curve over versions.
std::string audit_page(const AuditRecord& record, const std::vector<AuditRecord>& history);

}  // namespace lethe
