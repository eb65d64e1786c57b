// From the stored uint8 image to what the network sees: crop, flip, rotation, normalisation
// (specification 2.2; with masks 2.4). Random draws come from the caller, who addresses them by
// (seed, epoch, sample). Fill is black, before normalisation.
#pragma once

#include <cstdint>
#include <vector>

#include "lethe/core/random.h"
#include "lethe/data/dataset.h"

namespace lethe {

enum class Crop {
  kPad,      // zero-pad, then crop back at random
  kResized,  // a random part, scaled to the size of the network (crop.h)
  kArea,     // masks only: the same, of at least half the image (MiB, SDR)
  kScale,    // masks only: scaled at random, then a random window (SSUL)
};

struct Augmentation {
  Crop crop = Crop::kPad;
  int64_t pad = 0;      // of Crop::kPad: by this much on every side; 0 = off
  bool flip = false;    // mirror with probability 1/2
  double rotation = 0;  // degrees: uniform in +- this, nearest neighbour; 0 = off
};

class Transform {
 public:
  // Evaluation: normalise only; of a set with masks, the shorter side to the size of the network,
  // then the centre. Throws ConfigError if mean or deviation do not fit the channels, or
  // if the augmentation leaves its range (pad >= 0, and 0 with Crop::kResized; rotation in [0,
  // 180]).
  explicit Transform(const DatasetInfo& info);
  Transform(const DatasetInfo& info, const Augmentation& augmentation);

  bool is_random() const;

  // Writes the float image [C, H, W] to out; random may be null if !is_random(). Thread-safe. An
  // image of another size than info says is scaled to it first: without regard to its proportions,
  // or by a Placement (placement.h) if info is of a set with masks. A mask or a saliency map, if
  // the sample has one, must have the size of its image, else Error; it undergoes the same
  // geometry, by nearest neighbour, into mask_out (int64 [H, W], labels untranslated) or
  // saliency_out (uint8 [H, W]). Where the image is fill, a mask is kVoid and saliency 0; beside an
  // image that Crop::kScale made smaller than the window a mask is background, as in SSUL.
  //
  // Draws, in this order and only what is on: those of the crop (draw_resized_crop, or
  // draw_true_scale, or below(2 pad + 1) for the row and for the column where it starts);
  // chance(1/2) to mirror; uniform(-rotation, rotation), positive = counter-clockwise.
  void apply(const Sample& sample, Random* random, float* out, int64_t* mask_out = nullptr,
             uint8_t* saliency_out = nullptr) const;

 private:
  struct Sized;  // a sample in the size of the network
  Sized to_size(const Sample& sample, Random* random) const;
  Sized placed(const Sample& sample, Random* random) const;
  bool moves_pixels() const;
  std::vector<int32_t> draw_sources(Random& random) const;
  void write_image(const at::Tensor& image, const std::vector<int32_t>& sources, float* out) const;

  Augmentation augmentation_;
  bool has_masks_;
  int64_t height_;
  int64_t width_;
  std::vector<float> scale_;  // per channel: out = pixel * scale + shift
  std::vector<float> shift_;
};

}  // namespace lethe
