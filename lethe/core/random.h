// Counter-based random numbers (Philox4x32-10, from Random123). A generator is constructed where it
// is needed, from (seed, purpose, a, b). Results therefore do not depend on thread scheduling, and
// a resumed run does not have to replay earlier draws.
//
// The numbers do not depend on the version of LibTorch. Cheap to construct. Not thread-safe; do not
// share.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lethe {

// One entry per use of random numbers. Never change an existing value: old runs must stay
// reproducible.
enum class Purpose : uint32_t {
  kInit = 1,        // a: hash of the parameter's name
  kShuffle = 2,     // a: epoch of the run
  kAugment = 3,     // a: epoch of the run, b: sample
  kHoldOut = 4,     // a: class, b: 0 = validation, 1 = test
  kProcedural = 5,  // a: split, b: sample
  kTorch = 6,       // a: step of the run; seed of LibTorch's generator
  kTest = 7,
  kCode = 8,            // a: class; values of a mnemonic code
  kMix = 9,             // a: step of the run; mixing ratio of code and image
  kCodeDraw = 10,       // a: step of the run, b: index of the draw
  kShots = 11,          // a: index of the draw, b: class
  kInversion = 30,      // a: class, b: image; start and target of an inverted image
  kInversionDraw = 31,  // a: step of the run; inverted images of a step
};

class Random {
 public:
  Random(uint64_t seed, Purpose purpose, uint32_t a = 0, uint32_t b = 0);

  uint32_t next();  // all 32 bits
  uint64_t next64();
  double uniform();  // [0, 1), with 32 random bits
  double uniform(double low, double high);
  bool chance(double probability);
  int64_t below(int64_t n);  // [0, n), n > 0, without bias
  double normal();           // mean 0, standard deviation 1 (Box-Muller)
  std::vector<int64_t> permutation(int64_t n);

 private:
  uint64_t seed_;
  std::array<uint32_t, 4> counter_;  // block, purpose, a, b
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
  double spare_ = 0;
  bool has_spare_ = false;
};

// Platform-independent 32-bit hash of a string; used to key generators by name.
uint32_t hash32(std::string_view text);

}  // namespace lethe
