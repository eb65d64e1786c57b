// From the stored uint8 image to what the network sees: crop, flip, rotation, normalisation
// (methods.md 2.2). Random draws come from the caller, who addresses them by (seed, epoch, sample).
// Fill is black, before normalisation.
#pragma once

#include <cstdint>
#include <vector>

#include "lethe/core/random.h"
#include "lethe/data/dataset.h"

namespace lethe {

enum class Crop {
  kPad,      // zero-pad, then crop back at random
  kResized,  // a random part, scaled to the size of the network (crop.h)
};

struct Augmentation {
  Crop crop = Crop::kPad;
  int64_t pad = 0;      // of Crop::kPad: by this much on every side; 0 = off
  bool flip = false;    // mirror with probability 1/2
  double rotation = 0;  // degrees: uniform in +- this, nearest neighbour; 0 = off
};

class Transform {
 public:
  // Evaluation: normalise only. Throws ConfigError if mean or deviation do not fit the channels, or
  // if the augmentation leaves its range (pad >= 0, and 0 with Crop::kResized; rotation in [0,
  // 180]).
  explicit Transform(const DatasetInfo& info);
  Transform(const DatasetInfo& info, const Augmentation& augmentation);

  bool is_random() const;

  // Writes the float image [C, H, W] to out; random may be null if !is_random(). Thread-safe. An
  // image of another size than info says is scaled to it first, without regard to its proportions.
  // A mask, if the sample has one, undergoes the same geometry into mask_out (int64 [H, W], labels
  // untranslated; kVoid where the image is fill); image and mask must have info's size then, else
  // Error.
  //
  // Draws, in this order and only what is on: those of draw_resized_crop, or below(2 pad + 1) for
  // the row and for the column where the crop starts; chance(1/2) to mirror; uniform(-rotation,
  // rotation), positive = counter-clockwise.
  void apply(const Sample& sample, Random* random, float* out, int64_t* mask_out = nullptr) const;

 private:
  at::Tensor to_size(const at::Tensor& image, Random* random) const;
  std::vector<int32_t> draw_sources(Random& random) const;

  Augmentation augmentation_;
  int64_t height_;
  int64_t width_;
  std::vector<float> scale_;  // per channel: out = pixel * scale + shift
  std::vector<float> shift_;
};

}  // namespace lethe
