#include "lethe/losses/mask_distillation.h"

#include <ATen/ATen.h>

#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

// ln p of the old channels, [B, K_old, H, W].
at::Tensor student_log_mass(const at::Tensor& z, int64_t old, StudentMass mass) {
  if (mass == StudentMass::kOld) return z.narrow(1, 0, old).log_softmax(1);
  const auto all = z.logsumexp(1, /*keepdim=*/true);
  if (mass == StudentMass::kAll || z.size(1) == old) return z.narrow(1, 0, old) - all;
  const auto background_or_new =
      at::cat({z.narrow(1, 0, 1), z.narrow(1, old, z.size(1) - old)}, 1).logsumexp(1, true);
  return at::cat({background_or_new, z.narrow(1, 1, old - 1)}, 1) - all;
}

double divisor(StarNorm norm, int64_t kept, int64_t old) {
  switch (norm) {
    case StarNorm::kKept:
      return static_cast<double>(kept);
    case StarNorm::kOld:
      return static_cast<double>(old);
    case StarNorm::kNone:
      break;
  }
  return 1.0;
}

}  // namespace

at::Tensor mask_distillation_loss(const at::Tensor& student, const at::Tensor& teacher,
                                  const at::Tensor& kept, const MaskDistillationOptions& options) {
  require_shape("student", student, {kAnySize, kAnySize, kAnySize, kAnySize});
  require_shape("teacher", teacher, {student.size(0), kAnySize, student.size(2), student.size(3)});
  const int64_t old = teacher.size(1);
  auto ln_p = student_log_mass(student, old, options.mass);
  auto target = options.alpha * teacher.detach();
  int64_t channels = old;
  at::Tensor q;
  if (!kept.defined()) {
    q = target.softmax(1);
  } else {
    require_shape("kept", kept, {old});
    const auto index = kept.nonzero().squeeze(1);
    channels = index.size(0);
    const bool renormalise = options.star != StarForm::kDrop;
    q = renormalise ? target.index_select(1, index).softmax(1)
                    : target.softmax(1).index_select(1, index);
    ln_p = ln_p.index_select(1, index);
    if (options.star == StarForm::kRestrict) ln_p = ln_p.log_softmax(1);
  }
  return -(q * ln_p).sum(1).mean() / divisor(options.norm, channels, old);
}

}  // namespace lethe
