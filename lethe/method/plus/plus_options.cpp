#include "lethe/method/plus/plus_options.h"

namespace lethe {

Fields config_fields(PlusOptions& o) {
  return {
      common(after_first_task({"method.plus.lambda_f", &o.lambda_f,
                               "weight of the term that pulls features towards those of the erased "
                               "teacher while a task is learned; larger = less of forgotten "
                               "classes is left in the features, lower accuracy",
                               at_least(0)})),
      after_first_task({"method.plus.erase", &o.erase,
                        "erase forgotten classes from the features of the teacher; false: distil "
                        "from the old model as it is, for comparison"}),
      after_first_task({"method.plus.ridge", &o.ridge,
                        "added to the covariance of the features within a class, times its mean "
                        "variance",
                        above(0)}),
      after_first_task({"method.plus.images_forgotten", &o.images_forgotten,
                        "images made by inversion for each forgotten class, in a request without "
                        "images",
                        at_least(1)}),
      after_first_task(
          {"method.plus.images_kept", &o.images_kept, "the same for each kept class", at_least(1)}),
      after_first_task({"method.plus.inversion_steps", &o.inversion_steps,
                        "optimiser steps that make an image by inversion", at_least(1)}),
      after_first_task({"method.plus.inversion_lr", &o.inversion_lr,
                        "learning rate of these steps (Adam)", above(0)}),
      after_first_task({"method.plus.spread", &o.spread,
                        "how far the targets of inverted images lie from the class mean, in "
                        "standard deviations of the features within a class",
                        at_least(0)}),
      after_first_task({"method.plus.class_weight", &o.class_weight,
                        "inversion: weight of the classification loss", at_least(0)}),
      after_first_task({"method.plus.smooth_weight", &o.smooth_weight,
                        "inversion: weight of the total variation; larger = smoother images",
                        at_least(0)}),
      after_first_task({"method.plus.steps", &o.steps,
                        "optimiser steps of a request without images, if request.steps is auto",
                        at_least(1)}),
      after_first_task({"method.plus.lr", &o.lr,
                        "constant learning rate of a request without images, if request.lr is "
                        "auto; with large values the network collapses",
                        above(0)}),
      after_first_task({"method.plus.clip_norm", &o.clip_norm,
                        "limit of the gradient norm in a request without images, if "
                        "request.clip_norm is auto",
                        at_least(0)}),
      after_first_task({"method.plus.batch", &o.batch,
                        "images of forgotten classes in a step of a request without images, and as "
                        "many of kept classes",
                        at_least(1)}),
      after_first_task({"method.plus.w_kept", &o.w_kept,
                        "request without images: weight of the losses on images of kept classes",
                        at_least(0)}),
      after_first_task({"method.plus.w_forgotten", &o.w_forgotten,
                        "request without images: weight factor of the distillation on images of "
                        "forgotten classes",
                        at_least(0)}),
      after_first_task({"method.plus.w_move", &o.w_move,
                        "request without images: weight of the loss that moves images of a "
                        "forgotten class to the kept class that the teacher gives them",
                        at_least(0)}),
  };
}

}  // namespace lethe
