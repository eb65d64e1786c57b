#include "lethe/method/lwf.h"

#include "lethe/method/head_distillation.h"
#include "lethe/method/plus/erased_teacher.h"

namespace lethe {

namespace {

const ChoiceNames<ForgottenTarget> kTargets = {{ForgottenTarget::kNone, "none"},
                                               {ForgottenTarget::kUniform, "uniform"}};

}  // namespace

Fields config_fields(LwfOptions& o) {
  return {
      common(after_first_task(
          {"method.lwf.lambda", &o.lambda, "weight of the distillation", at_least(0)})),
      after_first_task({"method.lwf.mix_weight", &o.mix_weight,
                        "methods with codes: weight factor of the distillation loss on images "
                        "mixed with codes",
                        at_least(0)}),
      common(after_first_task(
          {"method.lwf.temperature", &o.temperature, "softmax temperature", above(0)})),
      after_first_task(
          formerly("method.lwf.deleted_target",
                   {"method.lwf.forgotten_target", choice(&o.forgotten_target, kTargets),
                    "effect of the distillation on the scores of forgotten classes: none, or "
                    "uniform = it pulls them to one low score; auto = uniform for mc, mc_e, mc_m, "
                    "contrastive (with preset = tuned) and contrastive+, else none"})),
      after_first_task({"method.lwf.forgotten_score", &o.forgotten_score,
                        "with forgotten_target = uniform: the score (a cosine) that forgotten "
                        "classes are pulled "
                        "to; at most 1/K, where K is the number of classes of the task",
                        between(-1, 1)}),
  };
}

LossTerms Lwf::losses(Step& step) {
  LossTerms terms;
  if (!step.has_old() || options_.lambda == 0) return terms;
  if (step.task().has_images()) {
    add_terms(step, {{step.batch().images, Statistics::kBatch}}, "", terms);
    const auto* mixed = codes_ && options_.mix_weight > 0 ? codes_->mixed(step) : nullptr;
    if (mixed != nullptr) add_terms(step, {{mixed->images, mixed->statistics}}, "_mix", terms);
  } else if (codes_) {
    std::vector<Input> inputs;
    for (const auto& draw : codes_->kept(step)) inputs.push_back({draw.inputs, draw.statistics});
    if (!inputs.empty()) add_terms(step, inputs, "_code", terms);
  }
  return terms;
}

void Lwf::add_terms(Step& step, const std::vector<Input>& inputs, const std::string& suffix,
                    LossTerms& terms) const {
  const HeadDistillationOptions options = {
      .temperature = options_.temperature,
      .keeps = classes_ != LwfClasses::kForgotten,
      .keeps_forgotten = classes_ == LwfClasses::kAll,
      .lowers = classes_ != LwfClasses::kAll && !step.task().forgotten.empty() &&
                options_.forgotten_target == ForgottenTarget::kUniform,
      .low_score = options_.forgotten_score};
  if (!options.keeps && !options.lowers) return;
  HeadDistillation sums;
  for (const auto& input : inputs) {
    const auto& student = step.student(input.images, input.statistics).logits;
    at::Tensor teacher;
    if (options.keeps)
      teacher = teacher_ ? teacher_->logits(step, input.images) : step.old(input.images).logits;
    add_head_distillation(step, student, teacher, options, sums);
  }
  const double weight =
      options_.lambda * scale_ * scale_ * options_.temperature * options_.temperature;
  const double own = suffix == "_mix" ? options_.mix_weight : 1.0;
  // Without images the student is compared with its own copy: the term only holds it in place.
  const bool restrains = !step.task().has_images();
  if (sums.kept.defined())  // else all old classes are erased
    terms.push_back({"lwf" + suffix, sums.kept, weight * own, restrains});
  if (sums.forgotten.defined())
    terms.push_back({"lwf_uniform" + suffix, sums.forgotten, weight * own});
}

PartRecipe lwf_part(LwfClasses classes, ForgottenTarget target) {
  auto part = make_part<ClassLossOptions, LwfOptions>(
      "lwf", [classes](const OptionGroups& o, SharedObjects& shared) {
        return std::make_unique<Lwf>(o.get<LwfOptions>(), o.get<ClassLossOptions>(), classes,
                                     shared.codes, shared.teacher);
      });
  part.set_defaults = [target](const OptionGroups& o) {
    auto& own = o.get<LwfOptions>().forgotten_target;
    if (!own) own = target;
  };
  if (classes == LwfClasses::kAll)
    part.idle = {"method.lwf.forgotten_target", "method.lwf.forgotten_score"};
  part.after_first_task = true;
  return part;
}

}  // namespace lethe
