// The common part of EWC and MAS (specification 5.3, 5.4): every parameter gets an importance after
// a task, and later changes of the parameter are penalised. The methods differ in how they measure
// the importance.
//
//   penalty = 1/2 sum_k importance_k (parameter_k - anchor_k)^2
//
// Backbone: the importances of tasks are averaged (half old, half new; tasks that measured nothing
// are ignored), and the anchor is the value after the last task. A head keeps the importances and
// anchors of its own task. An event that only forgets measures nothing, but moves the anchors of
// the backbone: the old ones would pull it back to what it was before the request.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lethe/method/method.h"

namespace lethe {

using Importances = std::map<std::string, at::Tensor>;  // by parameter name; absent = not used

at::Tensor importance_penalty(const at::Tensor& parameter, const at::Tensor& anchor,
                              const at::Tensor& importance);

// The mean over samples of g^2 (or |g|). A batch of n samples with mean gradient g has weight n.
class GradientMean {
 public:
  enum class Of { kSquare, kAbsolute };
  explicit GradientMean(Of of = Of::kSquare) : of_(of) {}

  void add(const std::vector<NamedTensor>& parameters, const std::vector<at::Tensor>& gradients,
           int64_t samples);
  Importances mean() const;
  int64_t samples() const { return samples_; }

 private:
  Of of_;
  Importances sums_;
  int64_t samples_ = 0;
};

std::vector<NamedTensor> trained_parameters(const Network& network);

class ImportancePenalty : public Method {
 public:
  ImportancePenalty(std::string term, double lambda) : term_(std::move(term)), lambda_(lambda) {}

  void begin_task(const Task& task, Learner& learner) override;
  LossTerms losses(Step& step) override;
  // Also measures after the last task, because a request may follow.
  void end_task(const Task& task, Learner& learner) override;

  StateDict state() const override;
  void load(const StateDict& state) override;
  // Importances are sums over classes, so the share of one class cannot be removed. purge() of a
  // measured class therefore erases all importances, and with them the protection. purge() of any
  // other class zeroes its classifier rows in the importances and anchors. After purge() there is
  // no penalty until the next task begins.
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override;

  // The largest second derivative of the weighted penalty in the current task.
  double steepest() const;

 protected:
  struct Anchor {
    at::Tensor importance;
    at::Tensor value;
  };

  // The importances of the task that ends. Adds the classes that they were measured on to
  // `measured`.
  virtual Importances measure(const Task& task, Learner& learner, ClassSet& measured) = 0;

  double lambda() const { return lambda_; }
  const ClassSet& measured() const { return measured_; }
  std::map<std::string, Anchor>& anchors() { return anchors_; }
  void drop_class(const ClassSet& classes) { measured_ = measured_ - classes; }
  // Zeroes the rows of the classes in the importances and anchors, and ends the penalty of the
  // task.
  void purge_rows(const ClassSet& classes);
  // The same in some importances. Entries that belong to several classes together are removed.
  void purge_rows(const ClassSet& classes, Importances& importances) const;
  std::vector<StateEntry> rows_of(ClassId id) const;

 private:
  void erase();

  std::string term_;
  double lambda_;
  std::map<std::string, Anchor> anchors_;             // by parameter name
  std::vector<ClassEntry> class_entries_;             // of the network
  ClassSet measured_;                                 // classes that importances were measured on
  std::vector<std::pair<at::Tensor, Anchor>> bound_;  // parameter and anchor, in the current task
};

}  // namespace lethe
