#include "lethe/method/finetune.h"

#include <fmt/format.h>

#include "lethe/method/class_loss.h"

namespace lethe {

Fields config_fields(ClassLossOptions& o) {
  return {
      {"method.cls.loss", &o.loss, "loss of the new classes", {}, {"am_softmax", "cross_entropy"}},
      {"method.cls.scale", &o.scale, "factor a on the cosines", above(0)},
      {"method.cls.margin", &o.margin, "margin m of am_softmax", at_least_below(0, 2)},
      {"method.cls.weight", &o.weight, "weight of the loss of the new classes", at_least(0)},
  };
}

AdditiveMarginOptions ClassLossOptions::margin_options() const {
  return {.scale = scale, .margin = loss == "am_softmax" ? margin : 0.0};
}

std::string FineTune::first_task_key() const {
  const auto margin = options_.margin_options();
  return fmt::format("margin loss {} {} x {}", margin.scale, margin.margin, options_.weight);
}

LossTerms FineTune::losses(Step& step) {
  if (!step.task().has_images() || options_.weight == 0) return {};
  const auto& logits = step.student(step.batch().images).logits;
  return {{"ce",
           class_loss(step, logits, step.batch().labels, step.current_head(),
                      options_.margin_options()),
           options_.weight}};
}

}  // namespace lethe
