#include "lethe/model/autocast.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/version.h>

// LibTorch 2.4 and later have one switch per device type.
#define LETHE_AUTOCAST_BY_DEVICE \
  (TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4))

namespace lethe {

namespace {

void set_enabled(bool on) {
#if LETHE_AUTOCAST_BY_DEVICE
  at::autocast::set_autocast_enabled(at::kCUDA, on);
#else
  at::autocast::set_enabled(on);
#endif
}

}  // namespace

bool autocast_enabled() {
#if LETHE_AUTOCAST_BY_DEVICE
  return at::autocast::is_autocast_enabled(at::kCUDA);
#else
  return at::autocast::is_enabled();
#endif
}

Autocast::Autocast(bool on) : changed_(on != autocast_enabled()), before_(autocast_enabled()) {
  if (!changed_) return;
  set_enabled(on);
  if (on) at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!changed_) return;
  set_enabled(before_);
  // The cache of half-precision weights is valid for one pass only, because training changes
  // weights.
  if (!before_ && at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

at::Tensor full_precision(const at::Tensor& tensor) {
  const auto type = tensor.scalar_type();
  return type == at::kHalf || type == at::kBFloat16 ? tensor.to(at::kFloat) : tensor;
}

}  // namespace lethe
