// EWC and EWC* (specification 5.3, after the reference of mnemonic codes): a penalty on changes of
// parameters that matter for old classes. EWC* measures the importance on kept classes only.
#pragma once

#include <map>
#include <string>

#include "lethe/core/config.h"
#include "lethe/data/dataset.h"
#include "lethe/method/importance/importance.h"
#include "lethe/method/old_classes.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

enum class Fisher {
  kBatchMean,  // squared gradients of batch means
  kPerSample,  // squared gradients of single samples
};

// [method.ewc]
struct EwcOptions {
  static constexpr const char* kSection = "ewc";
  double lambda = 100.0;
  Fisher fisher = Fisher::kBatchMean;
  double forgotten_weight = 0.0;
  bool per_class = false;

  void resolve(const DatasetInfo& info);
};
Fields config_fields(EwcOptions& options);

class Ewc : public ImportancePenalty {
 public:
  Ewc(const EwcOptions& options, OldClasses classes)
      : ImportancePenalty("ewc", options.lambda), options_(options), classes_(classes) {}

  // With per_class, merges the importances of the classes that are kept now.
  void begin_task(const Task& task, Learner& learner) override;

  StateDict state() const override;
  void load(const StateDict& state) override;
  // With per_class, every class has its own entry, and purge() removes just that.
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override;
  // A request that is due before the next task is known when a task is measured. A class that is
  // requested later is already part of the merged importances.
  std::vector<std::string> remarks(const Task& task, const TaskPlan& plan) const override;
  bool uses_forget_set() const override { return classes_ == OldClasses::kKept; }

 protected:
  Importances measure(const Task& task, Learner& learner, ClassSet& measured) override;

 private:
  struct OfClass {
    int64_t task = 0;
    int64_t samples = 0;
    Importances importances;
  };
  ClassSet late(const Task& task) const;
  // Mean over the classes of one task that are in the set, weighted by their samples.
  Importances mean_of(int64_t task, const ClassSet& classes) const;
  // The same merged over all tasks, into the anchors.
  void merge_classes(const ClassSet& classes);

  EwcOptions options_;
  OldClasses classes_;
  std::map<ClassId, OfClass> of_class_;  // per_class only
  ClassSet important_;                   // in the current task; per_class only
};

PartRecipe ewc_part(OldClasses classes);

}  // namespace lethe
