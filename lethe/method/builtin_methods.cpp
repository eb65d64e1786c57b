// Every method, in the order of `lethe list methods`.
#include "lethe/method/composite.h"
#include "lethe/method/finetune.h"
#include "lethe/method/lwf.h"
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

void lwf(const OptionGroups& o, Parts& parts, DistilledClasses classes) {
  parts.push_back(
      {"lwf", std::make_unique<Lwf>(o.get<LwfOptions>(), o.get<ClassLossOptions>(), classes)});
}

}  // namespace

void add_builtin_methods(MethodRegistry& registry) {
  const std::vector<TaskKind> images = {TaskKind::kClassification};
  registry.add(entry<ClassLossOptions>(
      "finetune", "plain training on the new classes, no protection: the lower bound",
      "methods.md 5.2", images, [](const auto& o, Parts& parts) { fine_tune(o, parts); }));
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
}

}  // namespace lethe
