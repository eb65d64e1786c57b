// The rows on which models are compared: images, or pixels of segmentation images. All models of an
// audit are measured on the same rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/data/dataset.h"
#include "lethe/model/network.h"

namespace lethe {

struct RowOptions {
  int64_t per_class = 0;  // largest number of rows per class, chosen by seed; 0 = all
  uint64_t seed = 0;
  int64_t batch = 256;
  int loader_threads = 1;
};

struct Rows {
  DatasetPtr dataset;
  LabelMap labels_of;            // maps the labels of the dataset to classes
  std::vector<int64_t> samples;  // images that have rows, in order
  at::Tensor labels;             // int64 [N]: the class of each row
  at::Tensor unit;               // int64 [N]: the position of its image in samples
  at::Tensor place;              // masks: int64 [N]: the position on the grid; else undefined
  int64_t grid_height = 0, grid_width = 0;  // masks: the size of the last feature map

  int64_t size() const { return labels.defined() ? labels.size(0) : 0; }
  int64_t count(ClassId id) const;
  // For bootstrap draws: images within their class; of masks, any image.
  at::Tensor strata() const;
  // The rows with these numbers (int64, ascending), and the images that they need.
  Rows subset(const at::Tensor& numbers) const;
};

// The images of the classes. labels_of: from dataset labels to classes.
Rows image_rows(const DatasetPtr& dataset, const LabelMap& labels_of, const ClassSet& classes,
                const RowOptions& options);

// The pixels of the classes, at the positions of the network's last feature map.
Rows pixel_rows_of(const DatasetPtr& dataset, const LabelMap& labels_of, const ClassSet& classes,
                   Network& network, const RowOptions& options);

// What a network makes of the rows, in their order.
struct Embedding {
  std::vector<at::Tensor> stages;  // float [N, D_k] on the CPU: features, from the first stage on
  at::Tensor logits;               // float [N, K]
};

// Runs the network in evaluation mode, batch by batch. Throws Interrupted if a stop is requested.
Embedding embed(Network& network, const Rows& rows, const RowOptions& options);

// The images themselves, scaled to 16 x 16 values per channel: what needs no network. Of masks: the
// 5 x 5 colours around each position.
at::Tensor raw_pixels(const Rows& rows, const RowOptions& options);

}  // namespace lethe
