// EWC and EWC* (methods.md 5.3, the reference of mnemonic codes): parameters that old classes need
// may not move far. EWC* measures that need on classes that stay.
#pragma once

#include <map>
#include <string>

#include "lethe/core/config.h"
#include "lethe/method/method.h"

namespace lethe {

// [method.ewc]
struct EwcOptions {
  static constexpr const char* kSection = "ewc";
  double lambda = 100.0;
  std::string fisher = "batch_mean";
};
Fields config_fields(EwcOptions& options);

enum class ImportantClasses { kAll, kKept };

// 1/2 sum_k importance_k (parameter_k - anchor_k)^2
at::Tensor importance_penalty(const at::Tensor& parameter, const at::Tensor& anchor,
                              const at::Tensor& importance);

// The mean of squared gradients over the samples: fisher_sums += n g^2 for a batch of n with mean
// gradient g.
class FisherSum {
 public:
  void add(const std::vector<NamedTensor>& parameters, const std::vector<at::Tensor>& gradients,
           int64_t samples);
  std::map<std::string, at::Tensor> mean() const;

 private:
  std::map<std::string, at::Tensor> sums_;
  int64_t samples_ = 0;
};

class Ewc : public Method {
 public:
  Ewc(const EwcOptions& options, ImportantClasses classes) : options_(options), classes_(classes) {}

  void begin_task(const Task& task, Learner& learner) override;
  LossTerms losses(Step& step) override;
  // One pass over the task's images, after the last task as well: a request may follow. A request
  // that is due before the next task is known by now; a class that is requested later has left its
  // trace in the importances (see state_of), of which begin_task warns.
  void end_task(const Task& task, Learner& learner) override;

  StateDict state() const override;
  void load(const StateDict& state) override;
  // Importances are sums over classes: what one class gave cannot be taken out. purge() of a class
  // that took part therefore drops all of them, and with them the protection.
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override;
  std::string first_task_key() const override;

 private:
  struct Anchor {
    at::Tensor importance;
    at::Tensor value;
  };
  void erase();

  EwcOptions options_;
  ImportantClasses classes_;
  std::map<std::string, Anchor> anchors_;             // by parameter name
  ClassSet measured_;                                 // classes that took part
  std::vector<std::pair<at::Tensor, Anchor>> bound_;  // of the task at hand: parameter, anchor
};

}  // namespace lethe
