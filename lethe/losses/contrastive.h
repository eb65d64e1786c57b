// The paper's contrastive losses (specification 5.14): compact kept classes, disperse forgotten
// classes. They are pure functions of the features of a batch, grouped by class; classification and
// segmentation share them. Prototypes are constants; in-batch means carry the gradient. An absent
// class contributes nothing, and an empty set gives exactly 0.
#pragma once

#include "lethe/features/class_groups.h"

namespace lethe {

enum class Distance {
  kL2,         // ||f - p||
  kMse,        // mean over channels of (f - p)^2
  kFrobenius,  // one norm for all rows of a class
};
enum class RowReduce { kMean, kSum };
enum class Inverse {
  kPerRow,    // mean or sum over rows of 1/d
  kPerClass,  // 1 / (mean or sum over rows of d)
};
enum class PairReduce {
  kPrinted,  // as printed in the paper: (1/N_K) sum over kept c, sum over c' != c
  kPairs,    // mean over all ordered pairs
};

struct ContrastiveLossOptions {
  Distance distance = Distance::kMse;
  RowReduce reduce = RowReduce::kMean;
  Inverse inverse = Inverse::kPerRow;
  // Inverse distances are 1/max(d, floor), where d is the l2 distance. Below the floor, the
  // gradient keeps its direction and has the magnitude it has at the floor. If it were zero,
  // features that start below the floor could not move.
  double floor = 1e-2;
};

// L_in^p: pulls every row towards the prototype [G, D] of its class.
at::Tensor attraction_loss(const ClassGroups& groups, const at::Tensor& prototypes,
                           const ContrastiveLossOptions& options);

// L_in^d in one feature space: pushes every row away from the prototype [G, D] of its class.
at::Tensor dispersion_loss(const ClassGroups& groups, const at::Tensor& prototypes,
                           const ContrastiveLossOptions& options);

// L_ex^p: pushes in-batch means [P, D] apart, measured by the l2 distance. anchors: bool [P], the
// kept classes. With kPrinted, other (forgotten) classes are only used as partners; with kPairs,
// all classes are anchors.
at::Tensor separation_loss(const at::Tensor& means, const at::Tensor& anchors, PairReduce reduce,
                           double floor);

// L_ex^d: pulls every row towards one point [D] (the background prototype). Mean or sum over the
// rows of a class, then mean over classes.
at::Tensor background_loss(const ClassGroups& groups, const at::Tensor& background,
                           const ContrastiveLossOptions& options);

// L_pc: pulls in-batch means [P, D] towards the stored prototypes [P, D]. Mean over classes.
at::Tensor prototype_loss(const at::Tensor& means, const at::Tensor& prototypes, Distance distance);

}  // namespace lethe
