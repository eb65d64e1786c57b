// What "auto" stands for in [model] and [train]. The values for the paper's datasets are those of
// the paper (specification 4); those for the small datasets and for the user's own images are from
// our measurements.
#pragma once

#include <cstdint>
#include <string>

#include "lethe/core/problem.h"
#include "lethe/trainer/options.h"

namespace lethe {

struct Recipe {
  int64_t width = 64;
  const char* stem = nullptr;  // nullptr = chosen by image size
  double lr = 0.1;
  const char* backbone = "resnet101";  // for segmentation networks
  int64_t head_channels = 256;
  int64_t epochs = kDefaultEpochs;
  int64_t batch = kDefaultBatch;
  bool lr_follows_batch = false;  // scale lr with the batch size; lr is for kDefaultBatch images

  double lr_for(int64_t batch_size) const;  // the learning rate for this batch size
};

// The recipe for a dataset, with or without pretrained weights. Datasets without a recipe of their
// own share a default.
Recipe recipe_for(const std::string& dataset, Problem problem, bool pretrained);

// A dataset of the user's own images.
struct OwnImages {
  int64_t images = 0;  // training images of all tasks
  int64_t tasks = 1;
  int64_t side = 0;  // input size
};

// With fewer images, the network is narrower, the batches are smaller and there are more epochs: a
// task with a few hundred images needs about a thousand steps (docs/results/defaults.md).
Recipe own_images_recipe(const OwnImages& own, bool pretrained);

}  // namespace lethe
