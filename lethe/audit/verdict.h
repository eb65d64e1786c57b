// The verdict of an audit, made from its record alone.
#pragma once

#include <string>
#include <vector>

#include "lethe/audit/record.h"

namespace lethe {

struct AuditVerdict {
  Outcome outcome = Outcome::kInconclusive;  // passed, failed or inconclusive
  std::string reason;                        // one sentence: the checks that decided
};

// Passed if every gated check passed or is not applicable, and at least one passed. Failed if one
// failed. Otherwise inconclusive: "not measured" is never "passed".
AuditVerdict verdict_of(const AuditRecord& record);

// 0 passed, 4 failed, 5 inconclusive.
int exit_status(const AuditVerdict& verdict);

// One screen: the verdict, what failed first, and a line for each check.
std::string summary_of(const AuditRecord& record);

// What an audit cannot show: one sentence each, for the page and the documentation.
const std::vector<std::string>& limits_of_audits();

}  // namespace lethe
