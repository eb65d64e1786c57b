// Counts the pixels of forgotten classes that the old model finds in the new images. The
// contrastive terms of segmentation can disperse a class only where such pixels exist, so their
// number is logged at every step, and the ledger names the classes without such pixels.
#pragma once

#include <map>
#include <string>

#include "lethe/method/method.h"

namespace lethe {

class ForgottenPixels : public Method {
 public:
  // pseudo_threshold: see pixel_labels().
  explicit ForgottenPixels(double pseudo_threshold) : pseudo_threshold_(pseudo_threshold) {}

  void begin_task(const Task& task, Learner& learner) override;
  void update(Step& step) override;
  LossTerms losses(Step&) override { return {}; }
  void end_task(const Task& task, Learner& learner) override;
  std::vector<std::string> remarks(const Task& task, const TaskPlan& plan) const override;
  StateDict state() const override;
  void load(const StateDict& state) override;
  void purge(const ClassSet& classes) override;

 private:
  double pseudo_threshold_;
  std::map<ClassId, std::string> names_;  // of the forgotten classes
  // Number of feature-map positions of each class so far in this task; undefined between tasks.
  at::Tensor seen_;
  at::Device device_ = at::kCPU;
};

}  // namespace lethe
