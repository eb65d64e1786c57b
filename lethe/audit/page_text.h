// The cells of a check, as they appear in the summary and on the page.
#pragma once

#include <string>

#include "lethe/audit/record.h"

namespace lethe {

// "87.3", "12 steps", "-".
std::string model_text(const CheckRecord& check);
std::string reference_text(const CheckRecord& check);
// "+1.2 (-0.3 to +2.7)": both ends of the one-sided intervals.
std::string excess_text(const CheckRecord& check);
std::string margin_text(const CheckRecord& check);

}  // namespace lethe
