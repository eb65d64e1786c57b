#include "lethe/method/codes/mnemonic.h"

#include "lethe/method/class_loss.h"
#include "lethe/method/head_columns.h"
#include "lethe/model/torch.h"

namespace lethe {

Fields config_fields(MnemonicOptions& o) {
  return {
      common(after_first_task({"method.mc.lambda_sf", &o.lambda_sf,
                               "weight of the loss on codes of kept classes (L_SF)", at_least(0)})),
      after_first_task(formerly(
          "method.mc.deleted_entropy",
          {"method.mc.forgotten_entropy", &o.forgotten_entropy,
           "weight of a term that pushes codes of forgotten classes towards a uniform prediction; "
           "the reference implementation uses 1 for CUB and Cars",
           at_least(0)})),
  };
}

void CodeKeeper::begin_task(const Task& task, Learner& learner) {
  codes_->begin_task(task, learner);
}

std::vector<StateEntry> CodeKeeper::state_of(ClassId id) const {
  if (!codes_->has(id)) return {};
  return {{"code", codes_->bytes_of(id)}};
}

LossTerms Mnemonic::losses(Step& step) {
  LossTerms terms;
  const double mix_weight = codes().settings().mix_weight;
  if (const auto* mixed = mix_weight > 0 ? codes().mixed(step) : nullptr) {
    const auto& logits = step.student(mixed->images, mixed->statistics).logits;
    terms.push_back(
        {"mix", batch_loss(step, logits, mixed->labels, class_loss_.margin_options()), mix_weight});
  }
  if (!step.has_old()) return terms;
  if (options_.lambda_sf > 0) {
    if (auto loss = kept_loss(step); loss.defined())
      terms.push_back({"sf", std::move(loss), options_.lambda_sf});
  }
  if (options_.forgotten_entropy > 0) {
    if (auto loss = forgotten_entropy(step); loss.defined())
      terms.push_back({"forgotten_entropy", std::move(loss), options_.forgotten_entropy});
  }
  return terms;
}

// Mean over the codes of a head, sum over heads.
at::Tensor Mnemonic::kept_loss(Step& step) {
  at::Tensor sum;
  for (const auto& draw : codes().kept(step)) {
    const auto& logits = step.student(draw.inputs, draw.statistics).logits;
    const auto times = draw.times();
    for (const auto& head : step.old_heads()) {
      if (HeadColumns(step, head).empty()) continue;
      // Rows of other heads get weight 0 instead of being removed: no shape depends on values.
      const auto own = draw.is_of(head);
      const auto labels = at::where(own, draw.classes, at::full_like(draw.classes, head.first));
      const auto losses = class_losses(step, logits, labels, head, class_loss_.margin_options());
      const auto share = times * own.to(times.scalar_type());
      const auto mean = (losses * share).sum() / share.sum().clamp_min(1);
      sum = sum.defined() ? sum + mean : mean;
    }
  }
  return sum;
}

// -(1/K) ln softmax(s), summed over the drawn codes and the classes of their head.
at::Tensor Mnemonic::forgotten_entropy(Step& step) {
  const auto& draw = codes().forgotten(step);
  if (!draw.inputs.defined()) return {};
  const auto& logits = step.student(draw.inputs, draw.statistics).logits;
  const auto times = draw.times();
  auto sum = at::zeros({}, logits.options());
  for (const auto& head : step.old_heads()) {
    const HeadColumns columns(step, head);
    if (columns.empty()) continue;
    const auto values = -columns.of(logits).log_softmax(1).mean(1);
    sum = sum + (values * times * draw.is_of(head).to(times.scalar_type())).sum();
  }
  return sum;
}

PartRecipe mnemonic_part() {
  auto part = make_part<ClassLossOptions, CodeOptions, MnemonicOptions>(
      "mc", [](const OptionGroups& o, SharedObjects& shared) {
        shared.codes = std::make_shared<CodeBook>(o.get<CodeOptions>().settings());
        return std::make_unique<Mnemonic>(o.get<MnemonicOptions>(), o.get<ClassLossOptions>(),
                                          shared.codes);
      });
  part.without_images = always(WithoutImages::kCodes);  // L_SF
  return part;
}

}  // namespace lethe
