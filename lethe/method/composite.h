// Several methods as one: "lwf*" is fine-tuning plus the distillation of kept classes. The terms of
// the parts follow each other, and the parts share forward passes through the step.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lethe/method/method.h"

namespace lethe {

class Composite : public Method {
 public:
  struct Part {
    std::string name;  // prefix of its state: "ewc." + "importance.conv1.weight"
    std::unique_ptr<Method> method;
  };

  // The names of the parts must differ.
  explicit Composite(std::vector<Part> parts);

  void begin_task(const Task& task, Learner& learner) override;
  void update(Step& step) override;
  LossTerms losses(Step& step) override;
  void end_task(const Task& task, Learner& learner) override;
  std::vector<NamedTensor> parameters() override;
  double lr_factor(const std::string& parameter) const override;  // the product
  RequestSettings request_settings() const override;  // of the first part that has a value
  StateDict state() const override;
  void load(const StateDict& state) override;
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override;
  std::vector<std::string> remarks(const Task& task, const TaskPlan& plan) const override;
  bool uses_forget_set() const override;  // some part does

 private:
  std::vector<Part> parts_;
};

}  // namespace lethe
