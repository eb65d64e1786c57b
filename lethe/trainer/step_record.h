// Fills the record of a step: the value of every loss term, the notes of the method and, every
// train.grad_steps steps, the gradient norm of each term.
#pragma once

#include <filesystem>

#include "lethe/method/method.h"
#include "lethe/trainer/events.h"

namespace lethe {

// Adds the terms of one part of the batch, weighted by share (the fraction of the batch), and the
// method's notes. Returns the weighted sum of the terms, ready for backward(). Throws Error if a
// value is not finite; the message mentions the last checkpoint if the run directory (empty = none)
// has one.
at::Tensor add_terms(StepDone& done, const Step& step, const LossTerms& terms, double share,
                     const std::filesystem::path& run);

// Measures the gradient norm of each term at probe, the shared weight. This is much cheaper than
// the whole gradient, because the backward pass does not run through the backbone.
void measure_gradients(StepDone& done, const LossTerms& terms, const at::Tensor& probe);

}  // namespace lethe
