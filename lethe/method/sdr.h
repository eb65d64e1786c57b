// SDR (specification 5.11): on top of MiB's unbiased losses, features of old classes stay at their
// prototypes, features of a class gather, class means keep apart, vectors are sparse. SDR* holds
// only the prototypes of kept classes.
//
// Means are true class means; the released code's reshape, which mixes channels, is not repeated.
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
  bool background = true;  // whether it has a prototype and takes part
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
  std::string first_task_key() const override;

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
