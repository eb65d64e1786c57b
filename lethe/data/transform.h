// Converts a stored uint8 image to the network input: crop, flip, rotation, normalisation
// (specification 2.2; segmentation 2.4). The caller supplies the random generator, keyed by (seed,
// epoch, sample). Padding is black (0 before normalisation).
#pragma once

#include <cstdint>
#include <vector>

#include "lethe/core/random.h"
#include "lethe/data/dataset.h"

namespace lethe {

enum class Crop {
  kPad,      // zero-pad, then take a random crop of the original size
  kResized,  // random resized crop to the network input size (crop.h)
  kArea,     // segmentation only: as kResized, but the crop has at least half the area (MiB, SDR)
  kScale,    // segmentation only: random scaling, then a random crop (SSUL)
};

struct Augmentation {
  Crop crop = Crop::kPad;
  int64_t pad = 0;      // kPad: pixels added on each side; 0 = off
  bool flip = false;    // flip horizontally with probability 1/2
  double rotation = 0;  // degrees: uniform in [-rotation, rotation], nearest neighbour; 0 = off
};

class Transform {
 public:
  // For evaluation: no augmentation, only normalisation. In segmentation, the image is first
  // resized so that its shorter side has the network input size, then centre-cropped. Throws
  // ConfigError if mean and standard deviation do not match the number of channels.
  explicit Transform(const DatasetInfo& info);
  // With augmentation. Throws ConfigError also if the augmentation is invalid. Valid: pad >= 0, and
  // pad = 0 unless the crop is Crop::kPad; rotation in [0, 180]; a crop for this kind of problem.
  Transform(const DatasetInfo& info, const Augmentation& augmentation);

  bool is_random() const;

  // Writes the float image [C, H, W] to out; random may be null if !is_random(). Thread-safe. In
  // classification, an image whose size differs from that in info is resized first, without keeping
  // the aspect ratio. In segmentation, a Placement (placement.h) scales the image and selects the
  // window. A mask or saliency map must have the size of its image; otherwise Error is thrown. It
  // gets the same geometric transform, with nearest-neighbour sampling, and is written to mask_out
  // (int64 [H, W], dataset labels) or saliency_out (uint8 [H, W]). In padded areas the mask is
  // kVoid and the saliency 0. Exception: around an image that Crop::kScale made smaller than the
  // window, the mask is background, as in SSUL.
  //
  // Random numbers are drawn in this order, only for enabled augmentations: the crop
  // (draw_resized_crop, or draw_true_scale, or below(2 pad + 1) for its first row and for its first
  // column); chance(1/2) for the flip; uniform(-rotation, rotation), positive = counter-clockwise.
  void apply(const Sample& sample, Random* random, float* out, int64_t* mask_out = nullptr,
             uint8_t* saliency_out = nullptr) const;

 private:
  struct Sized;  // a sample resized to the network input size
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
