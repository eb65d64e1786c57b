// Every method, in the order of `lethe list methods`: what its parts are, for images and for masks.
#include "lethe/method/codes/codes.h"
#include "lethe/method/codes/mask_mnemonic.h"
#include "lethe/method/codes/mnemonic.h"
#include "lethe/method/composite.h"
#include "lethe/method/contrastive/contrastive_options.h"
#include "lethe/method/contrastive/forgotten_pixels.h"
#include "lethe/method/finetune.h"
#include "lethe/method/importance/ewc.h"
#include "lethe/method/importance/mas.h"
#include "lethe/method/lwf.h"
#include "lethe/method/mask_loss.h"
#include "lethe/method/mask_lwf.h"
#include "lethe/method/registry.h"
#include "lethe/method/sdr.h"
#include "lethe/method/ssul.h"

namespace lethe {

namespace {

using Recipes = std::map<Problem, MethodRecipe>;
using Parts = std::vector<Composite::Part>;
using Codes = std::shared_ptr<CodeBook>;

// A composition of parts; Groups are the option structs that it reads.
template <typename... Groups, typename Build>
MethodRecipe recipe(Build build) {
  return {.sections = {Groups::kSection...},
          .declare = [](OptionGroups& groups) { (groups.add<Groups>(), ...); },
          .resolve = {},
          .make = [build](const OptionGroups& groups) -> std::unique_ptr<Method> {
            Parts made;
            build(groups, made);
            return std::make_unique<Composite>(std::move(made));
          }};
}

// The parts of classification.

void fine_tune(const OptionGroups& o, Parts& parts) {
  parts.push_back({"finetune", std::make_unique<FineTune>(o.get<ClassLossOptions>())});
}

void lwf(const OptionGroups& o, Parts& parts, OldClasses classes, Codes codes = nullptr) {
  parts.push_back({"lwf", std::make_unique<Lwf>(o.get<LwfOptions>(), o.get<ClassLossOptions>(),
                                                classes, std::move(codes))});
}

Codes mnemonic(const OptionGroups& o, Parts& parts, const MnemonicOptions& options) {
  auto codes = std::make_shared<CodeBook>(o.get<CodeOptions>().settings());
  parts.push_back({"mc", std::make_unique<Mnemonic>(options, o.get<ClassLossOptions>(), codes)});
  return codes;
}

void ewc(const OptionGroups& o, Parts& parts, OldClasses classes) {
  parts.push_back({"ewc", std::make_unique<Ewc>(o.get<EwcOptions>(), classes)});
}

void mas(const OptionGroups& o, Parts& parts) {
  parts.push_back({"mas", std::make_unique<Mas>(o.get<MasOptions>())});
}

// The parts of segmentation.

void mask_loss(Parts& parts, MaskLossForm form, double pseudo_threshold = 0) {
  parts.push_back({"ce", std::make_unique<MaskLoss>(form, pseudo_threshold)});
}

void mask_lwf(const OptionGroups& o, Parts& parts, StudentMass mass, OldClasses classes,
              Codes codes = nullptr) {
  const auto& options = o.get<MaskLwfOptions>();
  parts.push_back({"kd", std::make_unique<MaskLwf>(options.weight.value(), options.form(mass),
                                                   classes, std::move(codes))});
}

// What [method.kd] means when a method leaves it to us. The paper's numbers for mib* and sdr* fit
// forgotten channels that are left alone, those of lwf* channels that are pushed down
// (specification 5.14.5).
MethodRecipe with_kd(MethodRecipe made, OldClasses classes, double weight, StarForm star) {
  if (classes == OldClasses::kAll)
    made.idle = {"method.kd.star", "method.kd.star_norm"};  // they say what becomes of the others
  made.resolve = [weight, star](const OptionGroups& o) {
    o.get<MaskLwfOptions>().resolve_for(weight, star);
  };
  return made;
}

MethodRecipe lwf_for_masks(OldClasses classes) {
  return with_kd(recipe<MaskLwfOptions>([classes](const auto& o, Parts& parts) {
                   mask_loss(parts, MaskLossForm::kPlain);
                   mask_lwf(o, parts, StudentMass::kOld, classes);
                 }),
                 classes, 100, StarForm::kDrop);
}

void unbiased(const OptionGroups& o, Parts& parts, OldClasses classes) {
  mask_loss(parts, o.get<MaskLossOptions>().drop_forgotten ? MaskLossForm::kUnbiasedDropForgotten
                                                           : MaskLossForm::kUnbiased);
  mask_lwf(o, parts, StudentMass::kUnbiased, classes);
}

Recipes mib(OldClasses classes) {
  auto made = with_kd(recipe<MaskLossOptions, MaskLwfOptions>(
                          [classes](const auto& o, Parts& parts) { unbiased(o, parts, classes); }),
                      classes, 10, StarForm::kRestrict);
  made.init = [](const OptionGroups&) { return "background"; };
  return {{Problem::kMasks, std::move(made)}};
}

Recipes sdr(OldClasses classes) {
  auto made = with_kd(
      recipe<MaskLossOptions, MaskLwfOptions, SdrOptions>([classes](const auto& o, Parts& parts) {
        unbiased(o, parts, classes);
        parts.push_back({"sdr", std::make_unique<Sdr>(o.template get<SdrOptions>(), classes)});
      }),
      classes, 100, StarForm::kRestrict);
  made.compares_classes = true;
  return {{Problem::kMasks, std::move(made)}};
}

Recipes ssul(OldClasses classes) {
  auto made = recipe<SsulOptions>([classes](const auto& o, Parts& parts) {
    parts.push_back({"ssul", std::make_unique<Ssul>(o.template get<SsulOptions>(), classes)});
  });
  made.classifier = "ssul";
  made.init = [](const OptionGroups& o) {
    return o.get<SsulOptions>().unknown ? "unknown" : "default";
  };
  made.reads_saliency = true;
  return {{Problem::kMasks, std::move(made)}};
}

MethodRecipe mnemonic_for_masks() {
  auto made = with_kd(
      recipe<MaskLwfOptions, CodeOptions, MnemonicOptions, EwcOptions>(
          [](const auto& o, Parts& parts) {
            mask_loss(parts, MaskLossForm::kPlain);
            const auto codes = std::make_shared<CodeBook>(o.template get<CodeOptions>().settings());
            parts.push_back(
                {"mc", std::make_unique<MaskMnemonic>(o.template get<MnemonicOptions>(), codes)});
            mask_lwf(o, parts, StudentMass::kOld, OldClasses::kKept, codes);
            ewc(o, parts, OldClasses::kKept);
          }),
      OldClasses::kKept, 100, StarForm::kDrop);
  made.idle = {"method.code.per_task"};  // one head holds all classes
  return made;
}

MethodRecipe contrastive_for_images() {
  auto made = recipe<ClassLossOptions, CodeOptions, LwfOptions, ContrastiveOptions>(
      [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        const auto& options = o.template get<ContrastiveOptions>();
        const auto codes = mnemonic(o, parts, {.lambda_sf = options.cls_sf.value()});
        lwf(o, parts, OldClasses::kKept, codes);
        parts.push_back({"contrastive", std::make_unique<Contrastive>(
                                            options.settings(), std::make_unique<CodeRows>(
                                                                    options.code_rows(), codes))});
      });
  made.compares_classes = true;
  return made;
}

MethodRecipe contrastive_for_masks() {
  auto made = recipe<ContrastiveOptions>([](const auto& o, Parts& parts) {
    const auto& options = o.template get<ContrastiveOptions>();
    mask_loss(parts, options.ce.value(), options.pseudo_threshold);
    parts.push_back({"kd", std::make_unique<MaskLwf>(options.w_dis.value(), options.distillation(),
                                                     OldClasses::kKept)});
    parts.push_back({"contrastive",
                     std::make_unique<Contrastive>(
                         options.settings(), std::make_unique<PixelRows>(options.pixel_rows()))});
    parts.push_back(
        {"forgotten_pixels", std::make_unique<ForgottenPixels>(options.pseudo_threshold)});
  });
  made.compares_classes = true;
  return made;
}

Recipes on_images(MethodRecipe made) { return {{Problem::kImages, std::move(made)}}; }

Recipes on_both(MethodRecipe images, MethodRecipe masks) {
  return {{Problem::kImages, std::move(images)}, {Problem::kMasks, std::move(masks)}};
}

}  // namespace

void add_builtin_methods(MethodRegistry& registry) {
  constexpr const char* kSelective = "Learning with Selective Forgetting, IJCAI 2021";
  constexpr const char* kPaper =
      "Lifelong Learning and Selective Forgetting via Contrastive Strategy";
  constexpr const char* kMib = "Modeling the Background, CVPR 2020";
  constexpr const char* kSsul = "Semantic Segmentation with Unknown Label, NeurIPS 2021";
  constexpr const char* kSdr =
      "Repulsion-Attraction of Sparse and Disentangled Representations, CVPR 2021";

  registry.add(
      {"finetune", "plain training on the new classes, no protection: the lower bound",
       "the usual lower bound",
       on_both(recipe<ClassLossOptions>(fine_tune), recipe<>([](const auto&, Parts& parts) {
                 mask_loss(parts, MaskLossForm::kPlain);
               }))});
  registry.add({"ewc", "parameters that old classes need may not move far (Fisher information)",
                "Elastic Weight Consolidation, PNAS 2017",
                on_images(recipe<ClassLossOptions, EwcOptions>([](const auto& o, Parts& parts) {
                  fine_tune(o, parts);
                  ewc(o, parts, OldClasses::kAll);
                }))});
  registry.add({"ewc*", "as ewc, with the importances of kept classes only", kSelective,
                on_images(recipe<ClassLossOptions, EwcOptions>([](const auto& o, Parts& parts) {
                  fine_tune(o, parts);
                  ewc(o, parts, OldClasses::kKept);
                }))});
  registry.add({"mas", "as ewc, with the sensitivity of the scores as importance; asks no label",
                "Memory Aware Synapses, ECCV 2018",
                on_images(recipe<ClassLossOptions, MasOptions>([](const auto& o, Parts& parts) {
                  fine_tune(o, parts);
                  mas(o, parts);
                }))});
  registry.add({"lwf", "old outputs answer as the old model does, for every old class",
                "Learning without Forgetting, ECCV 2016",
                on_both(recipe<ClassLossOptions, LwfOptions>([](const auto& o, Parts& parts) {
                          fine_tune(o, parts);
                          lwf(o, parts, OldClasses::kAll);
                        }),
                        lwf_for_masks(OldClasses::kAll))});
  registry.add({"lwf*", "as lwf, for kept classes only: forgotten ones are left unprotected",
                kSelective,
                on_both(recipe<ClassLossOptions, LwfOptions>([](const auto& o, Parts& parts) {
                          fine_tune(o, parts);
                          lwf(o, parts, OldClasses::kKept);
                        }),
                        lwf_for_masks(OldClasses::kKept))});
  registry.add(
      {"le*", "lwf* and ewc* together", kSelective,
       on_images(recipe<ClassLossOptions, LwfOptions, EwcOptions>([](const auto& o, Parts& parts) {
         fine_tune(o, parts);
         lwf(o, parts, OldClasses::kKept);
         ewc(o, parts, OldClasses::kKept);
       }))});
  registry.add(
      {"lm*", "lwf* and mas together", kSelective,
       on_images(recipe<ClassLossOptions, LwfOptions, MasOptions>([](const auto& o, Parts& parts) {
         fine_tune(o, parts);
         lwf(o, parts, OldClasses::kKept);
         mas(o, parts);
       }))});
  registry.add({"mib", "background may hide old classes and new ones: losses that allow for it",
                kMib, mib(OldClasses::kAll)});
  registry.add({"mib*", "as mib, distilling kept classes only", kMib, mib(OldClasses::kKept)});
  registry.add({"ssul", "unnamed objects are a class of their own; what is learned is frozen",
                kSsul, ssul(OldClasses::kAll)});
  registry.add({"ssul*", "as ssul, without pseudo labels of classes that must go", kSsul,
                ssul(OldClasses::kKept)});
  registry.add({"sdr", "mib's losses, with features held at prototypes, gathered and kept apart",
                kSdr, sdr(OldClasses::kAll)});
  registry.add(
      {"sdr*", "as sdr, distilling and holding kept classes only", kSdr, sdr(OldClasses::kKept)});
  registry.add(
      {"mc", "mnemonic codes call kept classes back; forgotten codes are never shown again",
       kSelective,
       on_images(
           recipe<ClassLossOptions, CodeOptions, MnemonicOptions>([](const auto& o, Parts& parts) {
             fine_tune(o, parts);
             mnemonic(o, parts, o.template get<MnemonicOptions>());
           }))});
  registry.add(
      {"mc_e", "as mc, with lwf* and the importances of kept classes (EWC*)", kSelective,
       on_both(recipe<ClassLossOptions, CodeOptions, MnemonicOptions, LwfOptions, EwcOptions>(
                   [](const auto& o, Parts& parts) {
                     fine_tune(o, parts);
                     const auto codes = mnemonic(o, parts, o.template get<MnemonicOptions>());
                     lwf(o, parts, OldClasses::kKept, codes);
                     ewc(o, parts, OldClasses::kKept);
                   }),
               mnemonic_for_masks())});
  registry.add(
      {"mc_m", "as mc, with lwf* and mas", kSelective,
       on_images(recipe<ClassLossOptions, CodeOptions, MnemonicOptions, LwfOptions, MasOptions>(
           [](const auto& o, Parts& parts) {
             fine_tune(o, parts);
             const auto codes = mnemonic(o, parts, o.template get<MnemonicOptions>());
             lwf(o, parts, OldClasses::kKept, codes);
             mas(o, parts);
           }))});
  registry.add({"contrastive",
                "compacts the features of what stays, disperses those of what must go", kPaper,
                on_both(contrastive_for_images(), contrastive_for_masks())});
}

}  // namespace lethe
