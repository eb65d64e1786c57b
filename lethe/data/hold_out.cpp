#include "lethe/data/hold_out.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "lethe/core/random.h"

namespace lethe {

namespace {

// How many images of a class are held out: at least one, but never all.
int64_t held_out_count(int64_t images, double fraction) {
  if (images < 2) return 0;
  const auto wanted = std::llround(fraction * static_cast<double>(images));
  return std::clamp<int64_t>(wanted, 1, images - 1);
}

}  // namespace

Parts hold_out(const std::vector<int64_t>& labels, double fraction, HeldOutFor purpose) {
  constexpr uint64_t kSeed = 0;  // not the seed of the run: every run holds out the same images
  std::map<int64_t, std::vector<int64_t>> by_class;
  for (size_t i = 0; i < labels.size(); ++i) by_class[labels[i]].push_back(static_cast<int64_t>(i));

  Parts parts;
  for (const auto& [label, samples] : by_class) {
    const auto count = static_cast<int64_t>(samples.size());
    Random random(kSeed, Purpose::kHoldOut, static_cast<uint32_t>(label),
                  static_cast<uint32_t>(purpose));
    const auto order = random.permutation(count);
    const int64_t held = held_out_count(count, fraction);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t sample = samples[static_cast<size_t>(order[static_cast<size_t>(i)])];
      (i < held ? parts.held : parts.kept).push_back(sample);
    }
  }
  std::sort(parts.kept.begin(), parts.kept.end());
  std::sort(parts.held.begin(), parts.held.end());
  return parts;
}

}  // namespace lethe
