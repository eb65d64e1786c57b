// Images made by inversion (specification 5.16): noise is optimised until a frozen network sees in
// it features as its class has them. They stand for images of old classes, which are gone. Nothing
// of them is ever stored: they are made again where they are needed, with the same bits.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "lethe/data/dataset.h"
#include "lethe/features/class_statistics.h"
#include "lethe/losses/additive_margin.h"
#include "lethe/model/network.h"

namespace lethe {

struct InversionOptions {
  int64_t steps = 120;
  double lr = 0.05;             // of Adam
  double spread = 0.7;          // targets: class mean + spread * scatter within a class
  double ridge = 0.01;          // of the variances that distances are divided by
  double class_weight = 0.1;    // of the classification loss
  double smooth_weight = 0.02;  // of the total variation
  AdditiveMarginOptions class_loss = {};
};

// What n images should become.
struct InversionGoal {
  at::Tensor classes;                 // int64 [n]
  at::Tensor columns;                 // bool [n, K]: the logits that the softmax of an image covers
  std::vector<at::Tensor> targets;    // [n, D_k] features of every stage
  std::vector<at::Tensor> variances;  // [D_k] with the ridge
};

// `counts[i]` images of classes[i], with targets drawn around the means of the classes. heads: the
// columns that compete with a class, one entry per class. All classes must have statistics.
struct InversionClass {
  ClassId id = 0;
  int64_t count = 0;
  ClassSet columns;  // classes in the softmax, itself included
};
InversionGoal inversion_goal(const std::vector<InversionClass>& classes,
                             const ClassStatistics& statistics, int64_t num_classes, uint64_t seed,
                             const InversionOptions& options);

// sum_k mean_j (f_kj - target_kj)^2 / W_kjj + class_weight L_AM + smooth_weight TV, per image: [n].
// With gradient with respect to the images.
at::Tensor inversion_losses(Network& network, const at::Tensor& images, const InversionGoal& goal,
                            const InversionOptions& options);

// Noise at several scales, one image per entry of the goal: [n, C, H, W]. The image with number i
// among those of its class depends on the seed, the class and i only.
at::Tensor inversion_start(const InversionGoal& goal, const DatasetInfo& info, uint64_t seed);

// The images [n, C, H, W] on the network's device, with values that a pixel can have. The network
// must be frozen and in evaluation mode. Throws Interrupted if a stop is requested.
at::Tensor invert(Network& network, const InversionGoal& goal, const DatasetInfo& info,
                  uint64_t seed, const InversionOptions& options);

}  // namespace lethe
