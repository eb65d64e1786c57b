// The paper's strategy (specification 5.14): compact the features of classes that stay around their
// prototypes, keep class means apart, and disperse the features of classes that must go.
//
//   L = L_ce + L_dis + w_pc L_pc + lambda_p (L_in^p + L_ex^p) + lambda_d (L_in^d + L_ex^d)
//
// This part adds the contrastive terms; L_ce and L_dis are parts of their own. Where the features
// of a step come from differs: images and codes (code_contrastive.h), or the pixels of a feature
// map (pixel_contrastive.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lethe/features/prototype_bank.h"
#include "lethe/losses/contrastive.h"
#include "lethe/method/contrastive/contrastive_options.h"
#include "lethe/method/contrastive/projections.h"
#include "lethe/method/method.h"

namespace lethe {

class Contrastive : public Method {
 public:
  // options: resolved.
  explicit Contrastive(const ContrastiveOptions& options);

  void begin_task(const Task& task, Learner& learner) override;
  LossTerms losses(Step& step) override;
  bool uses_forget_set() const override { return true; }
  std::vector<NamedTensor> parameters() override { return projections_.parameters(); }
  StateDict state() const override;
  void load(const StateDict& state) override;
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override;
  std::string first_task_key() const override;

 protected:
  // The features of a step, with gradient.
  struct Observed {
    ClassGroups rows;    // for what compares rows with prototypes
    at::Tensor classes;  // int64 [P]: for what compares classes with each other
    at::Tensor means;    // [P, D] in-batch prototypes
  };

  virtual void update_prototypes(Step& step) = 0;
  // Nothing: the step shows no class.
  virtual std::optional<Observed> observe(Step& step) = 0;
  // L_in^d: the sum over the spaces F, F*, F** of the same loss on rows of forgotten classes.
  virtual at::Tensor dispersion(Step& step, const ClassGroups& forgotten);
  // Classes that are kept without being asked for: background, in masks.
  virtual ClassSet ground() const { return {}; }

  bool needs_kept() const;
  bool needs_forgotten() const;
  at::Tensor as_used(const at::Tensor& features) const;  // rows or maps, unit length if so set

  const ContrastiveOptions& options() const { return options_; }
  const ContrastiveLossOptions& loss() const { return loss_; }
  PrototypeBank& bank() { return bank_; }
  const Projections& projections() const { return projections_; }
  const ClassSet& old_known() const { return old_known_; }  // old classes with a prototype
  const at::Device& device() const { return device_; }
  // True at the first step of an epoch.
  bool enters_epoch(const Step& step);

 private:
  LossTerms terms(Step& step, const Observed& seen);

  ContrastiveOptions options_;
  ContrastiveLossOptions loss_;
  PrototypeBank bank_;
  at::Device device_ = at::kCPU;
  Projections projections_;
  StateDict loaded_projections_;  // read before the width of the features is known
  int64_t epoch_ = -1;            // whose rows the prototypes of new classes hold
  ClassSet old_known_;
};

// How a batch enters a prototype, as the options say.
PrototypeOptions prototype_options(const ContrastiveOptions& options);

}  // namespace lethe
