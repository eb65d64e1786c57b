// What the ledger of a run says, as text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lethe/record/ledger.h"

namespace lethe {

// Every event, for `lethe history`. Throws DataError if it is not a run directory, or if the ledger
// was changed or is empty.
std::string history_text(const std::filesystem::path& run);

// The classes whose last request ended as "not forgotten" or "no effect", unless they were erased
// all the same because the operator accepted that.
std::vector<std::string> not_forgotten(const Ledger& ledger);

// What was erased and removed since an event, and what is out of reach. Empty if nothing was
// erased.
std::string erasure_text(const Ledger& ledger, int64_t since_event);

// The head of the ledger: the last line of a command.
std::string head_text(const Ledger& ledger);

}  // namespace lethe
