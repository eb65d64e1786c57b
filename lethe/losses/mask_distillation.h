// Distillation of pixels: the outputs of the new model match those of the old model (specification
// 5.9, 5.10). student [B, K, H, W] with gradient, teacher [B, K_old, H, W] without, background as
// channel 0. Mean over all pixels, void pixels included: no labels are needed.
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

// The student's probabilities of the old channels.
enum class StudentMass {
  kOld,       // softmax over the old channels
  kUnbiased,  // softmax over all channels; new classes are added to background (MiB)
  kAll,       // softmax over all channels; this pushes new classes down (specification, TV-8)
};

// The treatment of classes that are not kept.
enum class StarForm {
  kDrop,      // their terms are left out; the loss is smallest if they have no probability
  kRestrict,  // both outputs are renormalised over the kept channels; other channels have no effect
  kTeacher,   // only the teacher's output is renormalised
};

// The divisor of the sum over channels.
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
