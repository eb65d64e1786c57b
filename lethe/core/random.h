// Randomness is addressed, not streamed: a generator is made where it is needed from (seed,
// purpose, a, b), so that no result depends on the order of threads and a resumed run needs no
// replay. Philox4x32-10 by Random123.
//
// The numbers do not depend on the version of LibTorch. Cheap to make; not thread-safe, not shared.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lethe {

// Every use of chance has its own line here; a number, once given, stays (runs must stay
// reproducible).
enum class Purpose : uint32_t {
  kInit = 1,        // a: hash of the parameter's name
  kShuffle = 2,     // a: epoch of the run
  kAugment = 3,     // a: epoch of the run, b: sample
  kHoldOut = 4,     // a: class, b: 0 to tune on, 1 to test on
  kProcedural = 5,  // a: split, b: sample
  kTorch = 6,       // a: step of the run; seeds LibTorch's own generator
  kTest = 7,
  kCode = 8,       // a: class; the values of a mnemonic code
  kMix = 9,        // a: step of the run; how much of a code is mixed into an image
  kCodeDraw = 10,  // a: step of the run, b: which draw
};

class Random {
 public:
  Random(uint64_t seed, Purpose purpose, uint32_t a = 0, uint32_t b = 0);

  uint32_t next();  // all 32 bits
  uint64_t next64();
  double uniform();  // [0, 1), 32 bits of it
  double uniform(double low, double high);
  bool chance(double probability);
  int64_t below(int64_t n);  // [0, n), n > 0, without bias
  double normal();           // mean 0, deviation 1 (Box-Muller)
  std::vector<int64_t> permutation(int64_t n);

 private:
  uint64_t seed_;
  std::array<uint32_t, 4> counter_;  // block, purpose, a, b
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
  double spare_ = 0;
  bool has_spare_ = false;
};

// The same 32-bit number for the same text, on every machine: addresses things by name.
uint32_t hash32(std::string_view text);

}  // namespace lethe
