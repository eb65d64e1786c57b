// The columns of a head that a term may use: those of its classes that are not erased. An erased
// class has the score kErasedLogit, which must not enter the value of a term.
#pragma once

#include "lethe/method/step.h"

namespace lethe {

class HeadColumns {
 public:
  // head: any range of columns; segmentation: all channels of a network.
  HeadColumns(const Step& step, const Head& head);

  const ClassSet& classes() const { return classes_; }
  bool empty() const { return classes_.empty(); }
  // Whether no class of the head is erased.
  bool complete() const { return classes_.size() == head_.count; }

  // Selects the columns from a tensor that has one entry per class in this dimension: scores
  // [B, K, ...] with dim 1, flags [K] with dim 0.
  at::Tensor of(const at::Tensor& all, int64_t dim = 1) const;

 private:
  Head head_;
  ClassSet classes_;
};

}  // namespace lethe
