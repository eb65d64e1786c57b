#include "lethe/features/erasure.h"

#include <ATen/ATen.h>

#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

// Smaller eigenvalues and singular values, relative to the largest, count as 0.
constexpr double kNone = 1e-10;

// An orthonormal basis [D, r] of the space that the columns span.
at::Tensor basis_of(const at::Tensor& columns) {
  const auto parts = at::linalg_svd(columns, /*full_matrices=*/false);
  const auto& values = std::get<1>(parts);
  const auto rank = (values > kNone * values.max().clamp_min(kNone)).sum().item<int64_t>();
  return std::get<0>(parts).narrow(1, 0, rank);
}

}  // namespace

Erasure::Erasure(const ErasureInput& input) {
  const int64_t dim = input.means.size(1);
  require_shape("within", input.within, {dim, dim});
  require_shape("forgotten", input.forgotten, {input.means.size(0)});
  mu_ = input.means.mean(0);
  const auto from_mu = input.means - mu_;
  const auto forgotten = from_mu.index_select(0, input.forgotten.nonzero().squeeze(1));
  if (forgotten.size(0) == 0) return;

  const auto classes = static_cast<double>(input.means.size(0));
  const auto ridge = input.ridge * input.within.diagonal().mean();
  const auto sigma = input.within + ridge * at::eye(dim, input.within.options()) +
                     from_mu.t().matmul(from_mu) / classes;
  const auto parts = at::linalg_eigh(sigma, "L");
  const auto& values = std::get<0>(parts);
  const auto& vectors = std::get<1>(parts);
  const auto is_some = values > kNone * values.max();
  const auto root = at::where(is_some, values.clamp_min(0).sqrt(), at::zeros_like(values));
  const auto inverse = at::where(is_some, 1 / root, at::zeros_like(values));
  const auto whiten = (vectors * inverse).matmul(vectors.t());
  const auto colour = (vectors * root).matmul(vectors.t());
  // The columns of Sigma_xz are these rows, divided by the number of classes.
  const auto basis = basis_of(whiten.matmul(forgotten.t()));
  if (basis.size(1) == 0) return;
  in_ = whiten.matmul(basis);
  out_ = colour.matmul(basis);
}

at::Tensor Erasure::apply(const at::Tensor& features) const {
  if (is_identity()) return features;
  require_shape("features", features, {kAnySize, mu_.size(0)});
  const auto on = [&](const at::Tensor& own) { return own.to(features.device()); };
  const auto exact = features.to(at::kDouble);
  const auto erased = exact - (exact - on(mu_)).matmul(on(in_)).matmul(on(out_).t());
  return erased.to(features.scalar_type());
}

}  // namespace lethe
