// The paper's strategy (specification 5.14): compact the features of kept classes around their
// prototypes, keep class means apart, and disperse the features of forgotten classes.
//
//   L = L_ce + L_dis + w_pc L_pc + lambda_p (L_in^p + L_ex^p) + lambda_d (L_in^d + L_ex^d)
//
// This part has the prototypes, the projections and the last five terms. L_ce and L_dis are
// separate parts. A RowSource supplies the features of a step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lethe/features/prototype_bank.h"
#include "lethe/losses/contrastive.h"
#include "lethe/method/contrastive/projections.h"
#include "lethe/method/contrastive/row_source.h"
#include "lethe/method/method.h"
#include "lethe/method/old_classes.h"

namespace lethe {

// Weights of the terms; 0 switches a term off.
struct ContrastiveWeights {
  double in_p = 0, ex_p = 0;  // lambda_p included
  double in_d = 0, ex_d = 0;  // lambda_d included
  double pc = 0;
};

struct ContrastiveSettings {
  ContrastiveWeights weights;
  bool first_task_terms = false;  // use the terms in the first task, too
  ContrastiveLossOptions loss;
  PairReduce ex_p_reduce = PairReduce::kPairs;
  bool ex_p_forgotten = true;  // L_ex^p also separates kept classes from forgotten classes
  bool ex_p_stored = false;    // ... and new classes from the prototypes of old ones without rows
  OldClasses pc_classes = OldClasses::kKept;  // the old classes that L_pc covers
  bool background_in_keep = true;             // background is in K, for L_in^p and L_ex^p
  bool background_prototype = true;           // background has a prototype
  std::vector<size_t> spaces = {0, 1, 2};     // feature spaces of L_in^d
  ProjectionOptions projections;
  bool running_spaces = false;  // F* and F** have their own prototypes
  PrototypeOptions prototypes;
  bool restart_every_epoch = false;  // prototypes of new classes are means over one epoch
};

class Contrastive : public Method {
 public:
  Contrastive(const ContrastiveSettings& settings, std::unique_ptr<RowSource> source);

  void begin_task(const Task& task, Learner& learner) override;
  // Updates the prototypes. The terms of the step, L_pc too, use the updated prototypes.
  void update(Step& step) override;
  LossTerms losses(Step& step) override;
  bool uses_forget_set() const override { return true; }
  std::vector<NamedTensor> parameters() override { return projections_.parameters(); }
  StateDict state() const override;
  void load(const StateDict& state) override;
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override;

 private:
  // The class sets of a task.
  struct Classes {
    ClassSet keep;       // K: must be recognised after the task
    ClassSet known;      // classes of K with a prototype
    ClassSet forgotten;  // forgotten classes with a prototype
  };
  Classes classes_of(const Task& task) const;

  at::Tensor in_p(const StepRows& step, const Classes& classes) const;
  at::Tensor ex_p(const StepRows& step, const Classes& classes) const;
  at::Tensor in_d(Step& step, const ClassGroups& forgotten, const Classes& classes) const;
  at::Tensor ex_d(const ClassGroups& forgotten) const;
  at::Tensor pc(const StepRows& step, const Task& task) const;

  const PrototypeBank& bank() const { return banks_.front(); }
  bool has_background() const;

  ContrastiveSettings settings_;
  std::unique_ptr<RowSource> source_;
  std::vector<PrototypeBank> banks_;  // of F; with running_spaces also of F* and F**
  Projections projections_;
  at::Device device_ = at::kCPU;
  int64_t epoch_ = -1;  // the epoch of the last update
  ClassSet old_known_;  // old classes with a prototype
};

}  // namespace lethe
