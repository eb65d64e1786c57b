// Linear erasure of classes from features in closed form (LEACE, specification 5.16). After it, no
// linear classifier can tell from features whether they belong to a forgotten class, or to which.
// Of all affine maps with this property it moves features least, measured by any norm.
//
//   E(f) = f - K^-1 P K (f - mu),   K = Sigma^(-1/2),   P = projection on the columns of K Sigma_xz
//
// Sigma is the total covariance, and Sigma_xz the covariance of features and one-hot indicators of
// the forgotten classes. All classes count the same.
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

struct ErasureInput {
  at::Tensor means;      // double [C, D]: mean feature of every class
  at::Tensor within;     // double [D, D]: covariance within a class
  at::Tensor forgotten;  // bool [C]
  double ridge = 0.01;   // added to the diagonal of within, times its mean diagonal
};

class Erasure {
 public:
  Erasure() = default;  // changes nothing
  // Changes nothing if no class is forgotten.
  explicit Erasure(const ErasureInput& input);

  // features [B, D] on any device and of any type; the result has the same. Computed in double.
  at::Tensor apply(const at::Tensor& features) const;
  bool is_identity() const { return !out_.defined(); }

 private:
  at::Tensor mu_;   // [D]: mean over the classes
  at::Tensor in_;   // [D, r]: K U, where U is an orthonormal basis of the range of P
  at::Tensor out_;  // [D, r]: K^-1 U
};

}  // namespace lethe
