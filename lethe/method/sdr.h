// SDR (specification 5.11): terms on features, in addition to MiB's unbiased losses. Features of
// old classes stay at their prototypes, features of a class form a cluster, class means are
// separated, and feature vectors are sparse. SDR* does the first for kept classes only.
//
// Means are true class means. The reshape of the released code, which mixes channels, is not
// reproduced.
#pragma once

#include "lethe/core/config.h"
#include "lethe/features/prototype_bank.h"
#include "lethe/method/method.h"
#include "lethe/method/old_classes.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

// [method.sdr]
struct SdrOptions {
  static constexpr const char* kSection = "sdr";
  double w_matching = 0.01;
  double w_clustering = 0.001;
  double w_separation = 0.001;
  double w_sparsity = 0.001;
  bool background = true;  // background has a prototype and takes part
};
Fields config_fields(SdrOptions& options);

class Sdr : public Method {
 public:
  Sdr(const SdrOptions& options, OldClasses classes) : options_(options), classes_(classes) {}

  void begin_task(const Task& task, Learner& learner) override;
  void update(Step& step) override;
  LossTerms losses(Step& step) override;
  bool uses_forget_set() const override { return classes_ == OldClasses::kKept; }
  StateDict state() const override { return bank_.state(); }
  void load(const StateDict& state) override;
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override { bank_.erase(classes); }

 private:
  // The pixels of the step; of_task: the classes of the current task.
  struct Pixels {
    ClassGroups all, of_task;
  };
  Pixels pixels(Step& step) const;

  SdrOptions options_;
  OldClasses classes_;
  PrototypeBank bank_;
  at::Device device_ = at::kCPU;
};

// Without MiB's losses.
PartRecipe sdr_part(OldClasses classes);

}  // namespace lethe
