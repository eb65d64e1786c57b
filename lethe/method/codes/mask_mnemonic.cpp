#include "lethe/method/codes/mask_mnemonic.h"

#include "lethe/losses/mask_cross_entropy.h"
#include "lethe/method/mask_step.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

// -ln softmax(z)_c of images whose pixels all have one class: mean over pixels, one value per
// image.
at::Tensor uniform_image_losses(const at::Tensor& logits, const at::Tensor& classes) {
  const auto index = classes.reshape({-1, 1, 1, 1}).expand({-1, 1, logits.size(2), logits.size(3)});
  return -logits.log_softmax(1).gather(1, index).mean({1, 2, 3});
}

}  // namespace

LossTerms MaskMnemonic::losses(Step& step) {
  LossTerms terms;
  const double mix_weight = codes().settings().mix_weight;
  if (const auto* mixed = mix_weight > 0 ? codes().mixed(step) : nullptr) {
    const auto& logits = step.student(mixed->images, mixed->statistics).logits;
    terms.push_back({"mix", mask_cross_entropy(logits, mixed->labels), mix_weight});
  }
  if (!step.has_old()) return terms;
  if (options_.lambda_sf > 0) {
    for (const auto& draw : codes().kept(step)) {
      const auto& logits = step.student(draw.inputs, draw.statistics).logits;
      const auto times = draw.times();
      const auto losses = uniform_image_losses(logits, draw.classes);
      terms.push_back({"sf", (losses * times).sum() / times.sum(), options_.lambda_sf});
    }
  }
  if (options_.forgotten_entropy > 0) {
    const auto& draw = codes().forgotten(step);
    if (draw.inputs.defined()) {
      const auto& logits = step.student(draw.inputs, draw.statistics).logits;
      const auto entropy = -remaining_channels(step, logits).log_softmax(1).mean({1, 2, 3});
      terms.push_back(
          {"forgotten_entropy", (entropy * draw.times()).sum(), options_.forgotten_entropy});
    }
  }
  return terms;
}

PartRecipe mask_mnemonic_part() {
  auto part = make_part<CodeOptions, MnemonicOptions>(
      "mc", [](const OptionGroups& o, SharedObjects& shared) {
        shared.codes = std::make_shared<CodeBook>(o.get<CodeOptions>().settings());
        return std::make_unique<MaskMnemonic>(o.get<MnemonicOptions>(), shared.codes);
      });
  part.idle = {"method.code.per_task"};                 // one head has all classes
  part.without_images = always(WithoutImages::kCodes);  // L_SF
  return part;
}

}  // namespace lethe
