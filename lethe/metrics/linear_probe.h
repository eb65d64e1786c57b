// Whether a linear classifier finds a class in features: the ridge classifier of its rows against
// the rest, both sides weighing the same, whatever their number.
//
//   const LinearProbe probe(features);
//   for (id : classes) probe.accuracy(labels == id, other_features, other_labels == id);
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

class LinearProbe {
 public:
  // What it learns from: [N, D]. The moments that all classes share are summed here, once.
  explicit LinearProbe(const at::Tensor& features);

  // Balanced accuracy, on features [M, D], of the probe of the rows that fit_positive (bool [N])
  // names. 0.5 if either set lacks a side.
  double accuracy(const at::Tensor& fit_positive, const at::Tensor& features,
                  const at::Tensor& positive) const;

 private:
  struct Moments {
    double count = 0;
    at::Tensor sum;    // [D]
    at::Tensor outer;  // sum of x x^T
  };
  static Moments moments_of(const at::Tensor& rows);

  at::Tensor features_;  // double
  Moments all_;
};

}  // namespace lethe
