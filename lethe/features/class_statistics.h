// What is kept of a class after its task (specification 5.16): the mean of its pooled features at
// every stage of the network, and their scatter within the class. The scatter is a full covariance
// for the last stage and a variance per feature for the others. Everything is kept per class, so a
// purge is exact.
//
// Values are stored as float32 and given as double. Lives on the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/core/state_dict.h"
#include "lethe/features/class_moments.h"

namespace lethe {

class ClassStatistics {
 public:
  // For longer features of the last stage only variances are kept: a covariance would need more
  // than half a megabyte per class.
  static constexpr int64_t kLongestScatter = 512;

  // Sums that store() accepts.
  static ClassMoments moments_of(const ClassSet& classes) {
    return ClassMoments(classes, kLongestScatter);
  }

  // Replaces what is kept of the classes with rows.
  void store(const ClassMoments& moments);

  bool has(ClassId id) const;
  ClassSet classes() const;
  bool empty() const { return classes().empty(); }
  int64_t stages() const { return static_cast<int64_t>(widths_.size()); }

  // Means [n, D_k] of the given classes, in their order. All of them must be known.
  at::Tensor means(int64_t stage, const ClassSet& classes) const;
  // The scatter within a class, mean over all known classes: variances [D_k], and the covariance
  // [D, D] of the last stage (diagonal for long features).
  at::Tensor variance(int64_t stage) const;
  at::Tensor covariance() const;

  int64_t bytes_of(ClassId id) const;  // 0 if nothing is kept
  // Bytes per class for features of these lengths.
  static int64_t bytes_for(const std::vector<int64_t>& widths);
  void purge(const ClassSet& classes);  // zeroes their rows

  StateDict state() const;
  void load(const StateDict& state);

 private:
  void grow(int64_t classes, const ClassMoments& moments);
  int64_t start_of(int64_t stage) const;
  at::Tensor rows_of(const ClassSet& classes) const;

  std::vector<int64_t> widths_;  // D_k
  at::Tensor mean_;              // float [K, sum of D_k]
  at::Tensor variance_;          // float [K, sum of D_k]
  at::Tensor scatter_;  // float [K, D (D + 1) / 2]: upper triangles; undefined if D is long
  at::Tensor count_;    // int64 [K]: images; 0 = nothing is kept
};

}  // namespace lethe
