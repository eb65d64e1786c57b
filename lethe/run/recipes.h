// Values of "auto" in [model] and [train]: the paper's for its datasets (specification 4), our own
// measurements for the small datasets and for your own images.
#pragma once

#include <cstdint>
#include <string>

#include "lethe/core/problem.h"
#include "lethe/trainer/options.h"

namespace lethe {

struct Recipe {
  int64_t width = 64;
  const char* stem = nullptr;  // nullptr = depends on the image size
  double lr = 0.1;
  const char* backbone = "resnet101";  // of segmentation networks
  int64_t head_channels = 256;
  int64_t epochs = kDefaultEpochs;
  int64_t batch = kDefaultBatch;
  bool lr_follows_batch = false;  // lr is that of kDefaultBatch images

  double lr_for(int64_t batch_size) const;
};

// For a named dataset, with or without pretrained weights.
Recipe recipe_for(const std::string& dataset, Problem problem, bool pretrained);

// Your own images.
struct OwnImages {
  int64_t images = 0;  // training images of all tasks
  int64_t tasks = 1;
  int64_t side = 0;  // input size
};

// The fewer images, the narrower the network, the smaller the batches and the more epochs: a few
// hundred images need about a thousand steps (docs/results/defaults.md).
Recipe own_images_recipe(const OwnImages& own, bool pretrained);

}  // namespace lethe
