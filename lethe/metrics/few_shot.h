// Few-shot accuracy: how well features tell classes apart if only a few images of each class are
// known. A feature belongs to the class whose mean, over those few images, is nearest (by cosine).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>

#include "lethe/core/class_set.h"

namespace lethe {

struct FewShotOptions {
  int64_t shots = 5;   // images per class
  int64_t draws = 20;  // the accuracy is the mean over so many random choices of the images
  uint64_t seed = 0;
};

// The hit rate of every row of `rows` over the draws: double [M]; a row whose class does not
// compete has 0. Undefined if fewer than two classes compete. The arguments are those of
// few_shot_accuracy().
at::Tensor few_shot_hits(const at::Tensor& fit, const at::Tensor& fit_labels,
                         const at::Tensor& rows, const at::Tensor& labels, const ClassSet& classes,
                         const FewShotOptions& options = {});

// fit [N, D] with labels int64 [N]: the images are drawn from these rows, without repetition within
// a draw. rows [M, D] with labels int64 [M]: the accuracy of each class is measured on these.
// Classes without rows in fit do not compete; classes without rows to measure are left out. Empty
// if fewer than two classes compete.
std::map<ClassId, double> few_shot_accuracy(const at::Tensor& fit, const at::Tensor& fit_labels,
                                            const at::Tensor& rows, const at::Tensor& labels,
                                            const ClassSet& classes,
                                            const FewShotOptions& options = {});

}  // namespace lethe
