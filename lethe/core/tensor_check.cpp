#include "lethe/core/tensor_check.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "lethe/core/error.h"

namespace lethe {

std::string shape_text(at::IntArrayRef sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

void require_shape(std::string_view name, const at::Tensor& tensor,
                   std::initializer_list<int64_t> expected) {
  const at::IntArrayRef want(expected.begin(), expected.size());
  if (!tensor.defined())
    throw_error<Error>("{}: expected {}, got no tensor", name, shape_text(want));
  const auto got = tensor.sizes();
  bool same = got.size() == want.size();
  for (size_t i = 0; same && i < want.size(); ++i) same = want[i] == kAnySize || want[i] == got[i];
  if (!same) throw_error<Error>("{}: expected {}, got {}", name, shape_text(want), shape_text(got));
}

}  // namespace lethe
