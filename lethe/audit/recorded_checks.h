// Checks that need no model: they read the record of the run and its files.
#pragma once

#include <vector>

#include "lethe/audit/material.h"
#include "lethe/audit/record.h"
#include "lethe/run/audit_options.h"

namespace lethe {

// Every function gets a record with the name of the check, and returns at least one.

// What the events that forgot did to kept classes.
std::vector<CheckRecord> collateral_checks(const CheckRecord& empty, const Material& material,
                                           const AuditOptions& options);

// Whether a forgotten class came back in a later event: the accuracy with its row in place, as far
// as it was recorded.
std::vector<CheckRecord> relapse_checks(const CheckRecord& empty, const Material& material,
                                        const AuditOptions& options);

// Whether anything of an erased class is left in the files, and whether all files are as recorded.
std::vector<CheckRecord> files_checks(const CheckRecord& empty, const Material& material);

}  // namespace lethe
