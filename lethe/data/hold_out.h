// Selects held-out samples: a fraction of every class, drawn with a fixed seed, so that they are
// the same in every run.
#pragma once

#include <cstdint>
#include <vector>

namespace lethe {

// The purpose of the held-out samples; each purpose has its own draws. Never change an existing
// value.
enum class HeldOutFor : uint32_t { kTuning = 0, kTesting = 1 };

struct Parts {
  std::vector<int64_t> kept;  // sample indices, ascending
  std::vector<int64_t> held;
};

// labels: the class of every sample. If a class has at least two samples, each part gets at least
// one. A class with one sample is kept.
Parts hold_out(const std::vector<int64_t>& labels, double fraction, HeldOutFor purpose);

}  // namespace lethe
