// Which samples are held out of a set: a part of every class, drawn from a fixed seed, so that it
// is the same for every run.
#pragma once

#include <cstdint>
#include <vector>

namespace lethe {

// What the part is for; each has draws of its own. A number, once given, stays.
enum class HeldOutFor : uint32_t { kTuning = 0, kTesting = 1 };

struct Parts {
  std::vector<int64_t> kept;  // sample numbers, ascending
  std::vector<int64_t> held;
};

// labels: the class of every sample. At least one of a class is on each side where it has two; a
// class of one is kept.
Parts hold_out(const std::vector<int64_t>& labels, double fraction, HeldOutFor purpose);

}  // namespace lethe
