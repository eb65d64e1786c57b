// Shape checks with one form of message: "features: expected [32, 128], got [32, 256]".
#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace lethe {

// In an expected shape: any size is allowed.
inline constexpr int64_t kAnySize = -1;

// Throws Error if tensor is undefined or its shape differs from expected.
void require_shape(std::string_view name, const at::Tensor& tensor,
                   std::initializer_list<int64_t> expected);

// "[32, 128]"
std::string shape_text(at::IntArrayRef sizes);

}  // namespace lethe
