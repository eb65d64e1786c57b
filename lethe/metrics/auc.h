// How well a score tells members (training images) from others (test images).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "lethe/metrics/bootstrap.h"

namespace lethe {

// The probability that a member has a larger score than another, ties counting one half. Both
// [n]; NaN if one is empty.
double area_under_curve(const at::Tensor& members, const at::Tensor& others);

// The fraction of members whose score is larger than that of all but `false_rate` of the others.
double true_positive_rate(const at::Tensor& members, const at::Tensor& others, double false_rate);

// The area in bootstrap draws. The draws depend on seed and sizes only: two models with the same
// images have the same draws.
Draws area_draws(const at::Tensor& members, const at::Tensor& others, int64_t draws, uint64_t seed);

}  // namespace lethe
