// A linear probe: measures whether a linear classifier finds a class in features. It is a ridge
// classifier of the rows of the class against the rest; both groups have the same total weight.
//
//   const LinearProbe probe(features);
//   for (id : classes) probe.accuracy(labels == id, other_features, other_labels == id);
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

class LinearProbe {
 public:
  // features [N, D]: the training features. The moments that all classes share are computed here,
  // once.
  explicit LinearProbe(const at::Tensor& features);

  // Trains a probe for the rows selected by fit_positive (bool [N]; some, but not all) against the
  // rest. Returns for every row of features [M, D] whether it is taken for one of them: bool [M].
  at::Tensor found(const at::Tensor& fit_positive, const at::Tensor& features) const;

  // Trains a probe for the rows selected by fit_positive (bool [N]) against the rest. Returns its
  // balanced accuracy on features [M, D]; 0.5 if either dataset lacks positive or negative rows.
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
