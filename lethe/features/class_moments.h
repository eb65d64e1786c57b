// Sums over the features of some classes, from which mean and scatter of every class follow. A pass
// over images fills it batch by batch. Double precision, on the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "lethe/core/class_set.h"

namespace lethe {

class ClassMoments {
 public:
  // Rows of other classes are ignored. full_scatter_up_to: the longest features of the last stage
  // for which products of different features are summed as well.
  explicit ClassMoments(ClassSet classes, int64_t full_scatter_up_to);

  // stages: pooled features of every stage, [B, D_k] each; labels: int64 [B], class ids.
  void add(const std::vector<at::Tensor>& stages, const at::Tensor& labels);

  ClassSet seen() const;                                          // classes with at least one row
  const std::vector<int64_t>& widths() const { return widths_; }  // D_k; empty without rows
  int64_t count(ClassId id) const;                                // rows of the class
  at::Tensor mean(ClassId id) const;                              // [sum of D_k], stage after stage
  at::Tensor variance(ClassId id) const;  // [sum of D_k], divided by the number of rows
  bool has_scatter() const { return products_.defined(); }
  at::Tensor scatter(ClassId id) const;  // [D, D] covariance of the last stage

 private:
  int64_t row_of(ClassId id) const;
  void start(const std::vector<at::Tensor>& stages);

  std::vector<ClassId> classes_;
  int64_t full_scatter_up_to_;
  std::vector<int64_t> widths_;
  at::Tensor counts_;    // double [C]
  at::Tensor sums_;      // [C, sum of D_k]
  at::Tensor squares_;   // [C, sum of D_k]
  at::Tensor products_;  // [C, D, D] of the last stage
};

}  // namespace lethe
