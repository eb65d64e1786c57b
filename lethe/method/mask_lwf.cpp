#include "lethe/method/mask_lwf.h"

#include "lethe/method/mask_step.h"

namespace lethe {

Fields config_fields(MaskLwfOptions& o) {
  return {
      {"method.kd.weight", &o.weight,
       "masks: weight of the distillation; auto = 100, for mib and mib* 10", at_least(0)},
      {"method.kd.star",
       &o.star,
       "starred methods on masks: drop = forgotten channels are pushed down, restrict = left "
       "alone, teacher = only the old model's answer is renormalised; auto = drop, for mib* and "
       "sdr* restrict",
       {},
       {"auto", "drop", "restrict", "teacher"}},
      {"method.kd.star_norm",
       &o.star_norm,
       "starred methods on masks: what the sum over channels is divided by",
       {},
       {"kept", "old", "none"}},
      {"method.kd.alpha", &o.alpha, "masks: factor on the old model's logits", above(0)},
  };
}

void MaskLwfOptions::resolve_for(double weight_of_method, const char* star_of_method) {
  if (!weight) weight = weight_of_method;
  if (star == "auto") star = star_of_method;
}

MaskDistillationOptions MaskLwfOptions::form(StudentMass mass) const {
  return {.mass = mass,
          .star = star == "restrict"  ? StarForm::kRestrict
                  : star == "teacher" ? StarForm::kTeacher
                                      : StarForm::kDrop,
          .norm = star_norm == "old"    ? StarNorm::kOld
                  : star_norm == "none" ? StarNorm::kNone
                                        : StarNorm::kKept,
          .alpha = alpha};
}

LossTerms MaskLwf::losses(Step& step) {
  if (!step.has_old() || weight_ == 0 || !step.task().has_images()) return {};
  LossTerms terms;
  const auto add = [&](const char* name, const at::Tensor& images) {
    const auto& student = step.student(images).logits;
    at::Tensor kept;
    if (classes_ == OldClasses::kKept) kept = kept_channels(step, student.device());
    terms.push_back(
        {name, mask_distillation_loss(student, step.old(images).logits, kept, form_), weight_});
  };
  add("kd", step.batch().images);
  if (codes_) add("kd_mix", codes_->mixed(step));
  return terms;
}

}  // namespace lethe
