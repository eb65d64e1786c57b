#include "lethe/method/mask_lwf.h"

#include "lethe/method/mask_step.h"

namespace lethe {

namespace {

const ChoiceNames<StarForm> kStars = {
    {StarForm::kDrop, "drop"}, {StarForm::kRestrict, "restrict"}, {StarForm::kTeacher, "teacher"}};
const ChoiceNames<StarNorm> kNorms = {
    {StarNorm::kKept, "kept"}, {StarNorm::kOld, "old"}, {StarNorm::kNone, "none"}};

}  // namespace

Fields config_fields(MaskLwfOptions& o) {
  return {
      common(after_first_task(
          {"method.kd.weight", &o.weight,
           "segmentation: weight of the distillation; auto = 100 (mib, mib*: 10)", at_least(0)})),
      after_first_task(
          {"method.kd.star", choice(&o.star, kStars),
           "starred methods, segmentation: effect of the distillation on the outputs of forgotten "
           "classes: drop = it lowers them, restrict = none, teacher = only the old model's output "
           "is renormalised"}),
      after_first_task({"method.kd.star_norm", choice(&o.star_norm, kNorms),
                        "starred methods, segmentation: divide the sum over channels by the number "
                        "of kept channels, of old channels, or not at all"}),
      after_first_task({"method.kd.alpha", &o.alpha,
                        "segmentation: factor on the old model's logits", above(0)}),
  };
}

MaskDistillationOptions MaskLwfOptions::form(StudentMass mass) const {
  return {.mass = mass, .star = star, .norm = star_norm, .alpha = alpha};
}

LossTerms MaskLwf::losses(Step& step) {
  if (!step.has_old() || weight_ == 0 || !step.task().has_images()) return {};
  LossTerms terms;
  const auto add = [&](const char* name, const at::Tensor& images, Statistics statistics) {
    const auto student = remaining_channels(step, step.student(images, statistics).logits);
    const auto old = remaining_channels(step, step.old(images).logits);
    at::Tensor kept;
    if (classes_ == OldClasses::kKept)
      kept = remaining_channels(step, kept_channels(step, student.device()), 0);
    terms.push_back({name, mask_distillation_loss(student, old, kept, form_), weight_});
  };
  add("kd", step.batch().images, Statistics::kBatch);
  if (const auto* mixed = codes_ ? codes_->mixed(step) : nullptr)
    add("kd_mix", mixed->images, mixed->statistics);
  return terms;
}

PartRecipe mask_lwf_part(const MethodDistillation& distillation, OldClasses classes) {
  auto part = make_part<MaskLwfOptions>(
      "kd", [distillation, classes](const OptionGroups& o, SharedObjects& shared) {
        const auto& options = o.get<MaskLwfOptions>();
        return std::make_unique<MaskLwf>(options.weight.value(), options.form(distillation.mass),
                                         classes, shared.codes);
      });
  part.set_defaults = [distillation](const OptionGroups& o) {
    auto& weight = o.get<MaskLwfOptions>().weight;
    if (!weight) weight = distillation.weight;
  };
  if (classes == OldClasses::kAll) part.idle = {"method.kd.star", "method.kd.star_norm"};
  part.after_first_task = true;
  return part;
}

}  // namespace lethe
