// Every method, in the order of `lethe list methods`.
#include "lethe/method/codes.h"
#include "lethe/method/composite.h"
#include "lethe/method/contrastive.h"
#include "lethe/method/ewc.h"
#include "lethe/method/finetune.h"
#include "lethe/method/lwf.h"
#include "lethe/method/mas.h"
#include "lethe/method/mnemonic.h"
#include "lethe/method/registry.h"

namespace lethe {

namespace {

// An entry that is a composition of parts; Groups are the option structs that it reads.
template <typename... Groups, typename Parts>
MethodEntry entry(std::string name, std::string summary, std::string reference,
                  std::vector<TaskKind> kinds, Parts parts) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .reference = std::move(reference),
          .kinds = std::move(kinds),
          .sections = {Groups::kSection...},
          .declare = [](OptionGroups& groups) { (groups.add<Groups>(), ...); },
          .make = [parts](const OptionGroups& groups) -> std::unique_ptr<Method> {
            std::vector<Composite::Part> made;
            parts(groups, made);
            return std::make_unique<Composite>(std::move(made));
          }};
}

using Parts = std::vector<Composite::Part>;

void fine_tune(const OptionGroups& o, Parts& parts) {
  parts.push_back({"finetune", std::make_unique<FineTune>(o.get<ClassLossOptions>())});
}

using Codes = std::shared_ptr<CodeBook>;

void lwf(const OptionGroups& o, Parts& parts, DistilledClasses classes, Codes codes = nullptr) {
  parts.push_back({"lwf", std::make_unique<Lwf>(o.get<LwfOptions>(), o.get<ClassLossOptions>(),
                                                classes, std::move(codes))});
}

Codes mnemonic(const OptionGroups& o, Parts& parts, const MnemonicOptions& options) {
  auto codes = std::make_shared<CodeBook>(o.get<CodeOptions>());
  parts.push_back({"mc", std::make_unique<Mnemonic>(options, o.get<ClassLossOptions>(), codes)});
  return codes;
}

void ewc(const OptionGroups& o, Parts& parts, ImportantClasses classes) {
  parts.push_back({"ewc", std::make_unique<Ewc>(o.get<EwcOptions>(), classes)});
}

void mas(const OptionGroups& o, Parts& parts) {
  parts.push_back({"mas", std::make_unique<Mas>(o.get<MasOptions>())});
}

}  // namespace

void add_builtin_methods(MethodRegistry& registry) {
  const std::vector<TaskKind> images = {TaskKind::kClassification};
  registry.add(entry<ClassLossOptions>(
      "finetune", "plain training on the new classes, no protection: the lower bound",
      "the usual lower bound", images, [](const auto& o, Parts& parts) { fine_tune(o, parts); }));
  registry.add(entry<ClassLossOptions, EwcOptions>(
      "ewc", "parameters that old classes need may not move far (Fisher information)",
      "Elastic Weight Consolidation, PNAS 2017", images, [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        ewc(o, parts, ImportantClasses::kAll);
      }));
  registry.add(entry<ClassLossOptions, EwcOptions>(
      "ewc*", "as ewc, with the importances of kept classes only",
      "Learning with Selective Forgetting, IJCAI 2021", images, [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        ewc(o, parts, ImportantClasses::kKept);
      }));
  registry.add(entry<ClassLossOptions, MasOptions>(
      "mas", "as ewc, with the sensitivity of the scores as importance; asks no label",
      "Memory Aware Synapses, ECCV 2018", images, [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        mas(o, parts);
      }));
  registry.add(entry<ClassLossOptions, LwfOptions>(
      "lwf", "old heads answer as the old model does, for every old class",
      "Learning without Forgetting, ECCV 2016", images, [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        lwf(o, parts, DistilledClasses::kAllOld);
      }));
  registry.add(entry<ClassLossOptions, LwfOptions>(
      "lwf*", "as lwf, for kept classes only: forgotten ones are left unprotected",
      "Learning with Selective Forgetting, IJCAI 2021", images, [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        lwf(o, parts, DistilledClasses::kKept);
      }));
  registry.add(entry<ClassLossOptions, LwfOptions, EwcOptions>(
      "le*", "lwf* and ewc* together", "Learning with Selective Forgetting, IJCAI 2021", images,
      [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        lwf(o, parts, DistilledClasses::kKept);
        ewc(o, parts, ImportantClasses::kKept);
      }));
  registry.add(entry<ClassLossOptions, LwfOptions, MasOptions>(
      "lm*", "lwf* and mas together", "Learning with Selective Forgetting, IJCAI 2021", images,
      [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        lwf(o, parts, DistilledClasses::kKept);
        mas(o, parts);
      }));
  registry.add(entry<ClassLossOptions, CodeOptions, MnemonicOptions>(
      "mc", "mnemonic codes call kept classes back; forgotten codes are never shown again",
      "Learning with Selective Forgetting, IJCAI 2021", images, [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        mnemonic(o, parts, o.template get<MnemonicOptions>());
      }));
  registry.add(entry<ClassLossOptions, CodeOptions, MnemonicOptions, LwfOptions, EwcOptions>(
      "mc_e", "as mc, with lwf* and the importances of kept classes (EWC*)",
      "Learning with Selective Forgetting, IJCAI 2021", images, [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        const auto codes = mnemonic(o, parts, o.template get<MnemonicOptions>());
        lwf(o, parts, DistilledClasses::kKept, codes);
        ewc(o, parts, ImportantClasses::kKept);
      }));
  registry.add(entry<ClassLossOptions, CodeOptions, MnemonicOptions, LwfOptions, MasOptions>(
      "mc_m", "as mc, with lwf* and mas", "Learning with Selective Forgetting, IJCAI 2021", images,
      [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        const auto codes = mnemonic(o, parts, o.template get<MnemonicOptions>());
        lwf(o, parts, DistilledClasses::kKept, codes);
        mas(o, parts);
      }));
  registry.add(entry<ClassLossOptions, CodeOptions, LwfOptions, ContrastiveOptions>(
      "contrastive", "compacts the features of what stays, disperses those of what must go",
      "Lifelong Learning and Selective Forgetting via Contrastive Strategy", images,
      [](const auto& o, Parts& parts) {
        fine_tune(o, parts);
        const auto& options = o.template get<ContrastiveOptions>();
        const auto codes = mnemonic(o, parts, {.lambda_sf = options.cls_sf.value()});
        lwf(o, parts, DistilledClasses::kKept, codes);
        parts.push_back({"contrastive", std::make_unique<Contrastive>(options, codes)});
      }));
}

}  // namespace lethe
