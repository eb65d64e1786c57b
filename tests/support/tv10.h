// The inputs of TV-10 (specification 9.3): two images of 2x2 positions with 2 channels. Class 0 is
// background, 1 is kept, 2 is forgotten.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace lethe::test {

inline at::Tensor points(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble).reshape({-1, 2});
}
inline at::Tensor ids(const std::vector<int64_t>& values) { return at::tensor(values, at::kLong); }

struct TV10 {
  at::Tensor features = points({1, 0, 3, 0, 3, 2, 0, 4, 0, 1, 5, 1, 2, 4, 1, 6});
  at::Tensor labels = ids({0, 1, 1, 2, 0, 1, 2, 2});
  at::Tensor images = ids({0, 0, 0, 0, 1, 1, 1, 1});
  at::Tensor stored = points({1, 1, 3, 0, 0, 3});
  at::Tensor counts = ids({4, 6, 3});
  // Exact values after the update by pixel count; the specification prints six digits.
  at::Tensor updated = points({5.0 / 6, 5.0 / 6, 29.0 / 9, 1.0 / 3, 0.5, 23.0 / 6});
};

}  // namespace lethe::test
