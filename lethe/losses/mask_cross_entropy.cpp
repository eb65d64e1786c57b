#include "lethe/losses/mask_cross_entropy.h"

#include <ATen/ATen.h>

#include <limits>

#include "lethe/core/class_set.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

void require_mask(const at::Tensor& logits, const at::Tensor& labels) {
  require_shape("logits", logits, {kAnySize, kAnySize, kAnySize, kAnySize});
  require_shape("labels", labels, {logits.size(0), logits.size(2), logits.size(3)});
}

at::Tensor mean_where(const at::Tensor& values, const at::Tensor& valid) {
  const auto counts = valid.to(values.scalar_type());
  return (values * counts).sum() / counts.sum().clamp_min(1);
}

// The value of each label's channel. Void pixels read channel 0; the caller masks them.
at::Tensor at_label(const at::Tensor& values, const at::Tensor& labels) {
  return values.gather(1, labels.unsqueeze(1)).squeeze(1);
}

}  // namespace

at::Tensor mask_cross_entropy(const at::Tensor& logits, const at::Tensor& labels) {
  require_mask(logits, labels);
  const auto valid = labels != kVoid;
  const auto safe = labels.masked_fill(valid.logical_not(), 0);
  return mean_where(-at_label(logits.log_softmax(1), safe), valid);
}

at::Tensor unbiased_cross_entropy(const at::Tensor& logits, const at::Tensor& labels, int64_t old,
                                  const at::Tensor& dropped) {
  require_mask(logits, labels);
  const auto valid = labels != kVoid;
  const auto fresh = valid & (labels >= old);
  const auto all = logits.logsumexp(1);
  auto hidden = logits.narrow(1, 0, old);
  if (dropped.defined()) {
    require_shape("dropped", dropped, {old});
    hidden = hidden.masked_fill(dropped.reshape({1, old, 1, 1}),
                                -std::numeric_limits<double>::infinity());
  }
  const auto background = all - hidden.logsumexp(1);
  const auto own = all - at_label(logits, labels.masked_fill(fresh.logical_not(), 0));
  return mean_where(at::where(fresh, own, background), valid);
}

at::Tensor mask_binary_cross_entropy(const at::Tensor& logits, const at::Tensor& labels) {
  require_mask(logits, labels);
  const auto valid = labels != kVoid;
  const auto safe = labels.masked_fill(valid.logical_not(), 0);
  // sum_j -ln(1 - sigma(z_j)), but -ln sigma(z) = softplus(z) - z for the channel of the label.
  const auto values = at::softplus(logits).sum(1) - at_label(logits, safe);
  return mean_where(values, valid);
}

}  // namespace lethe
