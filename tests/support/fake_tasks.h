// Base of the fake streams for tests of methods: a plan, a student and an old model that the tests
// change by hand, and steps of both tasks.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/method/method.h"
#include "lethe/method/option_groups.h"
#include "lethe/method/registry.h"
#include "lethe/model/torch.h"

namespace lethe::test {

// Net: the type of the student that the test needs.
template <typename Net>
class FakeTasks : public testing::Test {
 protected:
  FakeTasks(DatasetInfo info, const StreamOptions& stream)
      : info_(std::move(info)), plan_(stream, info_) {
    at::manual_seed(1);
    MethodRegistry::builtin().declare(groups_);
  }

  // batches: the batches of one pass over the task's images.
  Learner learner(std::vector<Batch> batches = {}) {
    return {.network = *network_,
            .old = old_.get(),
            .plan = plan_,
            .seed = 5,
            .info = &info_,
            .each_batch = [batches = std::move(batches)](const auto& visit) {
              for (const auto& batch : batches) visit(batch);
            }};
  }
  // Starts the second task, with a student that differs from the old model.
  void next_task() {
    old_ = std::dynamic_pointer_cast<Net>(network_->frozen_copy());
    network_->add_classes(plan_.task(2).new_classes.size(), 0);
    const at::NoGradGuard no_grad;
    for (auto& parameter : network_->parameters())
      parameter.add_(0.05 * torch::ones_like(parameter).cumsum(0));
  }
  Step step(int64_t task, const Batch& batch, int64_t number = 0, int64_t epoch = 0) {
    return {plan_.task(task), batch,
            *network_,        task > 1 ? old_.get() : nullptr,
            watch_,           {.seed = 5, .step = number, .epoch = epoch}};
  }
  // One step, as the trainer runs it.
  static LossTerms terms_of(Method& method, Step& step) {
    method.update(step);
    return method.losses(step);
  }
  static std::vector<std::string> names(const LossTerms& terms) {
    std::vector<std::string> all;
    for (const auto& term : terms) all.push_back(term.name);
    return all;
  }
  static const LossTerm& term(const LossTerms& terms, const std::string& name) {
    for (const auto& candidate : terms) {
      if (candidate.name == name) return candidate;
    }
    throw Error("no term " + name);
  }

  DatasetInfo info_;
  TaskPlan plan_;
  std::shared_ptr<Net> network_;
  std::shared_ptr<Net> old_;
  OptionGroups groups_;
  Stopwatch watch_;
};

}  // namespace lethe::test
