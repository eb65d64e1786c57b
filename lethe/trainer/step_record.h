// What is noted of a step: the value of every loss term, what the method adds, and now and then how
// much of the gradient each term has.
#pragma once

#include <filesystem>

#include "lethe/method/method.h"
#include "lethe/trainer/events.h"

namespace lethe {

// Adds the terms of a part of the batch, each by the part's share of it, and the method's notes.
// Returns their weighted sum, to go back from. Throws Error if a value is not finite; it says so if
// the run directory (empty = none) has a checkpoint.
at::Tensor add_terms(StepDone& done, const Step& step, const LossTerms& terms, double share,
                     const std::filesystem::path& run);

// What each term asks of probe, the last weight that all share: far cheaper than whole gradients,
// since nothing goes back through the trunk.
void measure_gradients(StepDone& done, const LossTerms& terms, const at::Tensor& probe);

}  // namespace lethe
