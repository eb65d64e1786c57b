#include "lethe/method/finetune.h"

#include "lethe/method/class_loss.h"

namespace lethe {

namespace {

const ChoiceNames<ClassLoss> kLosses = {{ClassLoss::kAmSoftmax, "am_softmax"},
                                        {ClassLoss::kCrossEntropy, "cross_entropy"}};

}  // namespace

Fields config_fields(ClassLossOptions& o) {
  return {
      common(
          {"method.cls.loss", choice(&o.loss, kLosses), "classification loss for the new classes"}),
      {"method.cls.scale", &o.scale, "scale factor of the cosine scores (a in the formula)",
       above(0)},
      {"method.cls.margin", &o.margin, "margin of am_softmax (m in the formula)",
       at_least_below(0, 2)},
      {"method.cls.weight", &o.weight, "weight of the classification loss", at_least(0)},
  };
}

AdditiveMarginOptions ClassLossOptions::margin_options() const {
  return {.scale = scale, .margin = loss == ClassLoss::kAmSoftmax ? margin : 0.0};
}

LossTerms FineTune::losses(Step& step) {
  if (!step.task().has_images() || options_.weight == 0) return {};
  const auto& batch = step.batch();
  const auto& logits = step.student(batch.images).logits;
  return {
      {"ce", batch_loss(step, logits, batch.labels, options_.margin_options()), options_.weight}};
}

PartRecipe fine_tune_part() {
  return make_part<ClassLossOptions>("finetune", [](const OptionGroups& o, SharedObjects&) {
    return std::make_unique<FineTune>(o.get<ClassLossOptions>());
  });
}

}  // namespace lethe
