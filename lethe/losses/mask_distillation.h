// Distillation on the classes of pixels: the new model answers as the old one (specification 5.9,
// 5.10). student [B, K, H, W] with gradient, teacher [B, K_old, H, W] without, background as
// channel 0; mean over all pixels, void ones as well: nothing here asks a label.
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

// What the student's answer for the old channels is.
enum class StudentMass {
  kOld,       // softmax over the old channels
  kUnbiased,  // softmax over all; new classes count as background, which they were before (MiB)
  kAll,       // softmax over all: pushes new classes down (TV-8: a warning)
};

// What becomes of classes that are not kept.
enum class StarForm {
  kDrop,      // their terms are left out: the minimum has no mass on them
  kRestrict,  // both answers are renormalised over what is kept: they are left alone
  kTeacher,   // only the teacher's is renormalised
};

// What the sum over channels is divided by.
enum class StarNorm { kKept, kOld, kNone };

struct MaskDistillationOptions {
  StudentMass mass = StudentMass::kOld;
  StarForm star = StarForm::kDrop;
  StarNorm norm = StarNorm::kKept;
  double alpha = 1.0;  // factor on the teacher's logits
};

// kept: bool [K_old]; undefined = all.
at::Tensor mask_distillation_loss(const at::Tensor& student, const at::Tensor& teacher,
                                  const at::Tensor& kept, const MaskDistillationOptions& options);

}  // namespace lethe
