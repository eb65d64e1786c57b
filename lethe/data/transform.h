// From the stored uint8 image to what the network sees: pad and crop, flip, rotation, normalisation
// (methods.md 2.2). Random draws come from the caller, who addresses them by (seed, epoch, sample).
// Fill is black, before normalisation.
#pragma once

#include <cstdint>
#include <vector>

#include "lethe/core/random.h"
#include "lethe/data/dataset.h"

namespace lethe {

struct Augmentation {
  int64_t pad = 0;      // zero-pad by this much on every side, then crop back at random; 0 = off
  bool flip = false;    // mirror with probability 1/2
  double rotation = 0;  // degrees: uniform in +- this, nearest neighbour; 0 = off
};

class Transform {
 public:
  // Evaluation: normalise only. Throws ConfigError if mean or deviation do not fit the channels, or
  // if the augmentation leaves its range (pad >= 0, rotation in [0, 180]).
  explicit Transform(const DatasetInfo& info);
  Transform(const DatasetInfo& info, const Augmentation& augmentation);

  bool is_random() const;

  // Writes the float image [C, H, W] to out; random may be null if !is_random(). Thread-safe. A
  // mask, if the sample has one, undergoes the same geometry into mask_out (int64 [H, W], labels
  // untranslated; kVoid where the image is fill). Throws Error if the sample is not of the size
  // that info says.
  //
  // Draws, in this order and only what is on: below(2 pad + 1) for the row and for the column where
  // the crop starts, chance(1/2) to mirror, uniform(-rotation, rotation), positive =
  // counter-clockwise.
  void apply(const Sample& sample, Random* random, float* out, int64_t* mask_out = nullptr) const;

 private:
  std::vector<int32_t> draw_sources(Random& random) const;

  Augmentation augmentation_;
  int64_t height_;
  int64_t width_;
  std::vector<float> scale_;  // per channel: out = pixel * scale + shift
  std::vector<float> shift_;
};

}  // namespace lethe
