// All built-in methods, in the order of `lethe list methods`, with their parts for classification
// (images) and segmentation (masks).
#include "lethe/method/codes/mask_mnemonic.h"
#include "lethe/method/codes/mnemonic.h"
#include "lethe/method/contrastive/contrastive_recipes.h"
#include "lethe/method/finetune.h"
#include "lethe/method/importance/ewc.h"
#include "lethe/method/importance/mas.h"
#include "lethe/method/lwf.h"
#include "lethe/method/mask_loss.h"
#include "lethe/method/mask_lwf.h"
#include "lethe/method/part_recipe.h"
#include "lethe/method/plus/erased_features.h"
#include "lethe/method/plus/inverted_request.h"
#include "lethe/method/sdr.h"
#include "lethe/method/ssul.h"
#include "lethe/method/statistics_keeper.h"

namespace lethe {

namespace {

// The methods with codes have LSF's second term: its released settings do (specification 5.5).
PartRecipe lwf_and_uniform_part() { return lwf_part(LwfClasses::kKept, ForgottenTarget::kUniform); }

// The second term alone.
PartRecipe forgotten_scores_part() {
  return lwf_part(LwfClasses::kForgotten, ForgottenTarget::kUniform);
}

MethodRecipe lwf_for_masks(OldClasses classes) {
  return compose({mask_loss_part(), mask_lwf_part(kLwfDistillation, classes)});
}

MethodRecipe mib(OldClasses classes) {
  auto made = compose({unbiased_loss_part(), mask_lwf_part(kMibDistillation, classes)});
  made.init = [](const OptionGroups&) { return "background"; };
  return made;
}

MethodRecipe sdr(OldClasses classes) {
  return compose(
      {unbiased_loss_part(), mask_lwf_part(kSdrDistillation, classes), sdr_part(classes)});
}

}  // namespace

void add_builtin_methods(MethodRegistry& registry) {
  using enum OldClasses;
  constexpr const char* kSelective = "Learning with Selective Forgetting, IJCAI 2021";
  constexpr const char* kPaper =
      "Lifelong Learning and Selective Forgetting via Contrastive Strategy";
  constexpr const char* kMib = "Modeling the Background, CVPR 2020";
  constexpr const char* kSsul = "Semantic Segmentation with Unknown Label, NeurIPS 2021";
  constexpr const char* kSdr =
      "Repulsion-Attraction of Sparse and Disentangled Representations, CVPR 2021";

  registry.add(
      {"finetune", "plain training on the new classes, without protection of old ones",
       "the usual lower bound",
       images_and_masks(compose_for_images({fine_tune_part()}), compose({mask_loss_part()}))});
  registry.add({"ewc",
                "penalises changes to parameters that matter for old classes (Fisher information)",
                "Elastic Weight Consolidation, PNAS 2017",
                images(compose_for_images({fine_tune_part(), ewc_part(kAll)}))});
  registry.add({"ewc*", "as ewc, with the importances of kept classes only", kSelective,
                images(compose_for_images({fine_tune_part(), ewc_part(kKept)}))});
  registry.add({"mas", "as ewc, with output sensitivity as importance; needs no labels",
                "Memory Aware Synapses, ECCV 2018",
                images(compose_for_images({fine_tune_part(), mas_part()}))});
  registry.add(
      {"lwf", "distillation: keeps the outputs for every old class close to those of the old model",
       "Learning without Forgetting, ECCV 2016",
       images_and_masks(compose_for_images({fine_tune_part(), lwf_part(LwfClasses::kAll)}),
                        lwf_for_masks(kAll))});
  registry.add(
      {"lwf*", "as lwf, for kept classes only: forgotten classes are not protected", kSelective,
       images_and_masks(compose_for_images({fine_tune_part(), lwf_part(LwfClasses::kKept)}),
                        lwf_for_masks(kKept))});
  registry.add({"le*", "lwf* and ewc* together", kSelective,
                images(compose_for_images(
                    {fine_tune_part(), lwf_part(LwfClasses::kKept), ewc_part(kKept)}))});
  registry.add(
      {"lm*", "lwf* and mas together", kSelective,
       images(compose_for_images({fine_tune_part(), lwf_part(LwfClasses::kKept), mas_part()}))});
  registry.add({"mib", "losses that account for old and new classes hidden in the background", kMib,
                masks(mib(kAll))});
  registry.add({"mib*", "as mib, distilling kept classes only", kMib, masks(mib(kKept))});
  registry.add({"ssul", "unlabelled objects form an 'unknown' class; learned weights are frozen",
                kSsul, masks(ssul_recipe(kAll))});
  registry.add({"ssul*", "as ssul, without pseudo labels for forgotten classes", kSsul,
                masks(ssul_recipe(kKept))});
  registry.add({"sdr",
                "mib's losses plus prototype matching, clustering and separation of features", kSdr,
                masks(sdr(kAll))});
  registry.add({"sdr*", "as sdr, with distillation and prototype matching for kept classes only",
                kSdr, masks(sdr(kKept))});
  registry.add(
      {"mc",
       "replays mnemonic codes of kept classes; codes of forgotten classes are never replayed",
       kSelective,
       images(compose_for_images({fine_tune_part(), mnemonic_part(), forgotten_scores_part()}))});
  registry.add(
      {"mc_e", "as mc, with the losses of lwf* and ewc*", kSelective,
       images_and_masks(compose_for_images({fine_tune_part(), mnemonic_part(),
                                            lwf_and_uniform_part(), ewc_part(kKept)}),
                        compose({mask_loss_part(), mask_mnemonic_part(),
                                 mask_lwf_part(kLwfDistillation, kKept), ewc_part(kKept)}))});
  registry.add({"mc_m", "as mc, with the losses of lwf* and mas", kSelective,
                images(compose_for_images(
                    {fine_tune_part(), mnemonic_part(), lwf_and_uniform_part(), mas_part()}))});
  registry.add(
      {"contrastive",
       "pulls the features of each kept class together and disperses those of forgotten classes",
       kPaper, images_and_masks(contrastive_for_images(), contrastive_for_masks())});
  registry.add(
      {"contrastive+",
       "distils from an old model without the forgotten classes; forgets without images, too",
       "ours; erases as LEACE does, Perfect linear concept erasure in closed form, NeurIPS 2023",
       images(compose_for_images({fine_tune_part(), erased_features_part(), lwf_and_uniform_part(),
                                  inverted_request_part()}))});
}

}  // namespace lethe
