// The nearest neighbours of features, and whether they find a class: a row belongs to the class if
// the class has a larger share of its neighbours than of all rows.
//
//   const Neighbours near(fit, rows, 10);
//   for (id : classes) near.found(fit_labels == id);
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lethe {

class Neighbours {
 public:
  // fit [N, D], rows [M, D]. Finds the nearest rows of fit by cosine, for every row; all of fit if
  // it has fewer than count.
  Neighbours(const at::Tensor& fit, const at::Tensor& rows, int64_t count = 10);

  // fit_positive bool [N]: the rows of the class. Returns for every row of `rows` whether it is
  // taken for one of them: bool [M].
  at::Tensor found(const at::Tensor& fit_positive) const;

 private:
  at::Tensor nearest_;  // int64 [M, count]: rows of fit
};

}  // namespace lethe
