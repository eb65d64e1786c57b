// The outcome of a check, and how it follows from an excess and a margin.
#pragma once

#include <string>

#include "lethe/metrics/bootstrap.h"

namespace lethe {

enum class Outcome {
  kPassed,         // the upper end of the one-sided 95 % interval is at most the margin
  kFailed,         // the lower end is above the margin
  kInconclusive,   // neither
  kNotMeasured,    // what it needs is not at hand, for example images
  kNotAvailable,   // the version before the request was purged
  kNotApplicable,  // raw pixels alone give more than the margin allows: it says nothing of a
                   // network
  kNeverLearned,   // no class was learned before it was to be forgotten
  kInformation,    // a figure without a margin
};
const char* name_of(Outcome outcome);  // "passed", "not measured"
// Throws DataError for a name that is none.
Outcome outcome_of(const std::string& name);

Outcome decide(const Excess& excess, double margin);

// What it would take to decide an inconclusive check: the number of images, or of oracles, with
// which its interval would leave the margin, if the excess stays as it is. One sentence.
std::string what_would_decide(const Excess& excess, double margin, const std::string& unit);

}  // namespace lethe
