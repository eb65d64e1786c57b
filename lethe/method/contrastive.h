// The paper's strategy (methods.md 5.14): compact the features of classes that stay around their
// prototypes, keep class means apart, and disperse the features of classes that must go.
//
//   L = L_ce + L_dis + w_pc L_pc + lambda_p (L_in^p + L_ex^p) + lambda_d L_in^d
//
// This part adds the contrastive terms; L_ce, L_M and L_SF (codes) and L_dis (LwF*) are parts of
// their own. In classification old classes appear as their codes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lethe/features/prototype_bank.h"
#include "lethe/losses/contrastive.h"
#include "lethe/method/codes.h"
#include "lethe/method/contrastive_options.h"

namespace lethe {

// The linear maps F -> F* -> F** (D -> D/2 -> D/4), seen by L_in^d only. Linear, so that the
// prototype of a projection is the projection of the prototype.
class Projections {
 public:
  // Drawn from the seed, on the device. depth: how many maps there are, 0 to 2.
  void make(int64_t dim, size_t depth, uint64_t seed, const at::TensorOptions& options,
            bool trainable);
  bool made() const { return made_; }
  // space 0 is F itself.
  at::Tensor apply(const at::Tensor& rows, size_t space) const;

  std::vector<NamedTensor> parameters() const;
  StateDict state() const;
  void load(const StateDict& state);

 private:
  bool made_ = false;
  std::vector<at::Tensor> weights_;
};

class Contrastive : public Method {
 public:
  // options: resolved.
  Contrastive(const ContrastiveOptions& options, std::shared_ptr<CodeBook> codes);

  void begin_task(const Task& task, Learner& learner) override;
  LossTerms losses(Step& step) override;
  std::vector<NamedTensor> parameters() override;
  StateDict state() const override;
  void load(const StateDict& state) override;
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override;
  std::string first_task_key() const override;

 private:
  struct Rows;
  bool needs_kept() const;
  bool needs_forgotten() const;
  at::Tensor as_used(const at::Tensor& features) const;
  void update_prototypes(Step& step);
  Rows rows_of(Step& step);
  at::Tensor dispersion(const ClassGroups& groups) const;

  ContrastiveOptions options_;
  ContrastiveLossOptions loss_;
  std::shared_ptr<CodeBook> codes_;
  PrototypeBank bank_;
  at::Device device_ = at::kCPU;
  Projections projections_;
  StateDict loaded_projections_;  // read before the width of the features is known
  int64_t epoch_ = -1;            // whose rows the prototypes of new classes hold
  ClassSet old_known_;            // old classes with a prototype
};

}  // namespace lethe
