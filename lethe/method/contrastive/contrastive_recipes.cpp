#include "lethe/method/contrastive/contrastive_recipes.h"

#include <functional>
#include <memory>

#include "lethe/method/codes/mnemonic.h"
#include "lethe/method/contrastive/contrastive_options.h"
#include "lethe/method/contrastive/forgotten_pixels.h"
#include "lethe/method/lwf.h"
#include "lethe/method/mask_lwf.h"
#include "lethe/method/statistics_keeper.h"

namespace lethe {

namespace {

// Takes the place of a part that the options switch off.
class Nothing : public Method {
 public:
  LossTerms losses(Step&) override { return {}; }
};

WithoutImages from_codes(const OptionGroups& o) {
  return o.get<ContrastiveOptions>().uses_codes() ? WithoutImages::kCodes : WithoutImages::kNothing;
}

// L_M, and L_SF with the weight cls_sf.
PartRecipe codes_part() {
  auto part = make_part<ClassLossOptions, CodeOptions, ContrastiveOptions>(
      "mc", [](const OptionGroups& o, SharedObjects& shared) -> std::unique_ptr<Method> {
        if (!o.get<ContrastiveOptions>().uses_codes()) return std::make_unique<Nothing>();
        shared.codes = std::make_shared<CodeBook>(o.get<CodeOptions>().settings());
        const MnemonicOptions options = {.lambda_sf = o.get<ContrastiveOptions>().cls_sf.value()};
        return std::make_unique<Mnemonic>(options, o.get<ClassLossOptions>(), shared.codes);
      });
  part.without_images = from_codes;  // L_SF
  part.idle_with = [](const OptionGroups& o) -> std::vector<std::string> {
    if (o.get<ContrastiveOptions>().uses_codes()) return {};
    const std::string own = "method.contrastive.";
    return {"method.code.", "method.lwf.mix_weight", own + "cls_sf", own + "cls_mixed_features",
            own + "forgotten_mix"};
  };
  return part;
}

PartRecipe loss_part() {
  return make_part<ContrastiveOptions>("ce", [](const OptionGroups& o, SharedObjects&) {
    const auto& options = o.get<ContrastiveOptions>();
    return std::make_unique<MaskLoss>(options.ce.value(), options.pseudo_threshold);
  });
}

PartRecipe distillation_part() {
  auto part = make_part<ContrastiveOptions>("kd", [](const OptionGroups& o, SharedObjects&) {
    const auto& options = o.get<ContrastiveOptions>();
    return std::make_unique<MaskLwf>(options.w_dis.value(), options.distillation(),
                                     OldClasses::kKept);
  });
  part.after_first_task = true;
  return part;
}

using Source = std::function<std::unique_ptr<RowSource>(const OptionGroups&, const SharedObjects&)>;

template <typename... Groups>
PartRecipe terms_part(Source source) {
  auto part = make_part<ContrastiveOptions, Groups...>(
      "contrastive", [source](const OptionGroups& o, SharedObjects& shared) {
        const auto& options = o.get<ContrastiveOptions>();
        return std::make_unique<Contrastive>(options.settings(), source(o, shared));
      });
  part.compares_classes = true;
  return part;
}

PartRecipe forgotten_pixels_part() {
  auto part =
      make_part<ContrastiveOptions>("forgotten_pixels", [](const OptionGroups& o, SharedObjects&) {
        return std::make_unique<ForgottenPixels>(o.get<ContrastiveOptions>().pseudo_threshold);
      });
  part.after_first_task = true;
  return part;
}

}  // namespace

MethodRecipe contrastive_for_images() {
  const Source rows = [](const OptionGroups& o,
                         const SharedObjects& shared) -> std::unique_ptr<RowSource> {
    const auto& options = o.get<ContrastiveOptions>();
    if (!options.uses_codes())
      return std::make_unique<StatisticRows>(
          options.statistic_rows(o.get<ClassLossOptions>().scale));
    return std::make_unique<CodeRows>(options.code_rows(), shared.codes);
  };
  auto terms = terms_part<ClassLossOptions>(rows);
  terms.without_images = from_codes;  // L_in^d
  auto distillation = lwf_part(LwfClasses::kKept);
  distillation.set_defaults = [](const OptionGroups& o) {
    const bool tuned = o.get<ContrastiveOptions>().preset == ContrastivePreset::kTuned;
    auto& target = o.get<LwfOptions>().forgotten_target;
    if (!target) target = tuned ? ForgottenTarget::kUniform : ForgottenTarget::kNone;
  };
  return compose_for_images({fine_tune_part(), codes_part(), distillation, terms});
}

MethodRecipe contrastive_for_masks() {
  const Source rows = [](const OptionGroups& o, const SharedObjects&) {
    return std::make_unique<PixelRows>(o.get<ContrastiveOptions>().pixel_rows());
  };
  return compose({loss_part(), distillation_part(), terms_part<>(rows), forgotten_pixels_part()});
}

}  // namespace lethe
