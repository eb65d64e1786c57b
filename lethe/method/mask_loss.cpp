#include "lethe/method/mask_loss.h"

#include "lethe/core/error.h"
#include "lethe/features/pixels.h"
#include "lethe/losses/mask_cross_entropy.h"
#include "lethe/method/mask_step.h"
#include "lethe/model/torch.h"

namespace lethe {

const ChoiceNames<MaskLossForm>& mask_loss_names() {
  static const ChoiceNames<MaskLossForm> names = {
      {MaskLossForm::kPlain, "plain"},
      {MaskLossForm::kUnbiased, "unbiased"},
      {MaskLossForm::kUnbiasedDropForgotten, "unbiased_drop_forgotten"},
      {MaskLossForm::kPseudo, "pseudo"}};
  return names;
}

Fields config_fields(MaskLossOptions& o) {
  return {
      after_first_task(formerly(
          "method.ce.drop_deleted",
          {"method.ce.drop_forgotten", &o.drop_forgotten,
           "unbiased cross-entropy: exclude forgotten classes from the background probability"})),
  };
}

LossTerms MaskLoss::losses(Step& step) {
  const auto& task = step.task();
  if (!task.has_images()) return {};
  const auto& batch = step.batch();
  const auto& logits = step.student(batch.images).logits;
  // Images of a task may show old classes as background. In an event that only forgets, all kept
  // classes are labelled.
  const bool background_hides_classes = step.has_old() && task.learns();
  if (form_ == MaskLossForm::kPseudo && background_hides_classes) {
    const auto labels =
        pseudo_labels(batch.labels, step.old(batch.images).logits, pseudo_threshold_);
    return {{"ce", mask_cross_entropy(logits, without_classes(labels, task.forgotten))}};
  }
  const bool drops = form_ == MaskLossForm::kUnbiasedDropForgotten;
  const bool unbiased = drops || form_ == MaskLossForm::kUnbiased;
  if (!unbiased || !background_hides_classes)
    return {{"ce", mask_cross_entropy(logits, batch.labels)}};
  at::Tensor dropped;
  if (drops) dropped = kept_channels(step, logits.device()).logical_not();
  return {{"ce", unbiased_cross_entropy(logits, batch.labels, old_channels(step), dropped)}};
}

PartRecipe mask_loss_part() {
  return make_part("ce", [](const OptionGroups&, SharedObjects&) {
    return std::make_unique<MaskLoss>(MaskLossForm::kPlain);
  });
}

PartRecipe unbiased_loss_part() {
  return make_part<MaskLossOptions>("ce", [](const OptionGroups& o, SharedObjects&) {
    return std::make_unique<MaskLoss>(o.get<MaskLossOptions>().drop_forgotten
                                          ? MaskLossForm::kUnbiasedDropForgotten
                                          : MaskLossForm::kUnbiased);
  });
}

}  // namespace lethe
