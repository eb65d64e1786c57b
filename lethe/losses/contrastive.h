// The paper's contrastive losses (specification 5.14): compact what stays, disperse what must go.
// Pure functions over the classes of a batch; classification and segmentation share them.
// Prototypes are constants, in-batch means carry the gradient. An absent class contributes nothing,
// an empty set gives exactly 0.
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
  kPrinted,  // (1/N_K) sum over kept c, sum over c' != c
  kPairs,    // mean over all ordered pairs
};

struct ContrastiveLossOptions {
  Distance distance = Distance::kMse;
  RowReduce reduce = RowReduce::kMean;
  Inverse inverse = Inverse::kPerRow;
  // Inverse distances are 1/max(d, floor) with d the l2 distance; below the floor the gradient
  // keeps its direction and the size that it has at the floor: zero would pin what starts there.
  double floor = 1e-2;
};

// L_in^p: every row towards the prototype [G, D] of its class.
at::Tensor attraction_loss(const ClassGroups& groups, const at::Tensor& prototypes,
                           const ContrastiveLossOptions& options);

// L_in^d in one feature space: every row away from the prototype [G, D] of its class.
at::Tensor dispersion_loss(const ClassGroups& groups, const at::Tensor& prototypes,
                           const ContrastiveLossOptions& options);

// L_ex^p: in-batch means [P, D] away from each other, by the l2 distance. anchors: bool [P], the
// classes that stay; others (being dispersed) take part as partners only. kPairs: all take part.
at::Tensor separation_loss(const at::Tensor& means, const at::Tensor& anchors, PairReduce reduce,
                           double floor);

// L_ex^d: every row towards one point [D] (the background's prototype), mean or sum over the rows
// of a class, mean over classes.
at::Tensor background_loss(const ClassGroups& groups, const at::Tensor& background,
                           const ContrastiveLossOptions& options);

// L_pc: in-batch means [P, D] towards the stored prototypes [P, D], mean over classes.
at::Tensor prototype_loss(const at::Tensor& means, const at::Tensor& prototypes, Distance distance);

}  // namespace lethe
