// The options of contrastive+ (specification 5.16).
#pragma once

#include <cstdint>

#include "lethe/core/config.h"

namespace lethe {

// [method.plus]
struct PlusOptions {
  static constexpr const char* kSection = "plus";

  // The teacher.
  bool erase = true;      // false: the old model as it is
  double ridge = 0.01;    // of the within-class covariance, times its mean diagonal
  double lambda_f = 5.0;  // weight of the feature term

  // Images by inversion of the old model, for a request without images.
  int64_t images_forgotten = 64;  // per forgotten class
  int64_t images_kept = 32;       // per kept class
  int64_t inversion_steps = 120;
  double inversion_lr = 0.05;
  double spread = 0.7;          // of the targets: standard deviations of the features in a class
  double class_weight = 0.1;    // of the classification loss
  double smooth_weight = 0.02;  // of the total variation

  // The request without images.
  int64_t steps = 300;
  double lr = 0.002;
  double clip_norm = 10.0;
  int64_t batch = 64;        // images of forgotten classes in a step, and as many of kept ones
  double w_kept = 1.0;       // weight of the terms on images of kept classes
  double w_forgotten = 1.0;  // weight of the distillation on images of forgotten classes
  double w_move = 1.0;       // weight of the loss that moves them to a kept class
};
Fields config_fields(PlusOptions& options);

}  // namespace lethe
