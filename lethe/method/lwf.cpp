#include "lethe/method/lwf.h"

#include "lethe/losses/distillation.h"

namespace lethe {

Fields config_fields(LwfOptions& o) {
  return {
      {"method.lwf.lambda", &o.lambda, "weight of the distillation", at_least(0)},
      {"method.lwf.temperature", &o.temperature, "T of both softmaxes", above(0)},
      {"method.lwf.deleted_target",
       &o.deleted_target,
       "starred methods: none = forgotten scores are left alone, uniform = pulled to 1/K",
       {},
       {"none", "uniform"}},
  };
}

LossTerms Lwf::losses(Step& step) {
  LossTerms terms;
  if (!step.has_old() || options_.lambda == 0) return terms;
  if (step.task().has_images()) {
    add_terms(step, step.batch().images, Statistics::kBatch, "", terms);
    if (codes_) add_terms(step, codes_->mixed(step), Statistics::kBatch, "_mix", terms);
  } else if (codes_) {
    for (const auto& draw : codes_->kept(step))
      add_terms(step, draw.inputs, draw.statistics, "_code", terms);
  }
  return terms;
}

void Lwf::add_terms(Step& step, const at::Tensor& input, Statistics statistics,
                    const std::string& suffix, LossTerms& terms) const {
  const auto& student = step.student(input, statistics).logits;
  const auto& old = step.old(input).logits;
  const bool star = classes_ == DistilledClasses::kKept;
  const double weight =
      options_.lambda * scale_ * scale_ * options_.temperature * options_.temperature;

  auto kept_sum = at::zeros({}, student.options());
  auto forgotten_sum = at::zeros({}, student.options());
  for (const auto& head : step.old_heads()) {
    const auto scores = student.narrow(1, head.first, head.count);
    const auto targets = old.narrow(1, head.first, head.count);
    const auto gone = step.task().forgotten.mask(head.first, head.count).to(student.options());
    const auto mask = star ? 1 - gone : at::ones_like(gone);
    kept_sum = kept_sum + masked_distillation_loss(scores, targets, mask, options_.temperature);
    if (star && options_.deleted_target == "uniform") {
      forgotten_sum = forgotten_sum + uniform_distillation_loss(scores, gone, options_.temperature);
    }
  }
  terms.push_back({"lwf" + suffix, kept_sum, weight});
  if (star && options_.deleted_target == "uniform")
    terms.push_back({"lwf_uniform" + suffix, forgotten_sum, weight});
}

}  // namespace lethe
