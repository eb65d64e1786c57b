// Two tasks of two classes with 8x8 colour images, 'a' forgotten before the second: for tests of
// methods.
#pragma once

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/method/fake_network.h"
#include "lethe/method/method.h"
#include "lethe/method/option_groups.h"
#include "lethe/method/registry.h"
#include "lethe/model/torch.h"

namespace lethe::test {

class FakeStream : public testing::Test {
 protected:
  static DatasetInfo make_info() {
    DatasetInfo info;
    info.name = "toy";
    info.class_names = {"a", "b", "c", "d"};
    info.channels = 3;
    info.height = info.width = 16;
    info.mean = {0.5, 0.5, 0.5};
    info.std = {0.25, 0.25, 0.25};
    return info;
  }
  static StreamOptions make_stream() {
    StreamOptions options;
    options.task_sizes = {2, 2};
    options.requests = {{.classes = {"a"}, .before_task = 2}, {.classes = {"c"}, .before_task = 3}};
    return options;
  }

  FakeStream() {
    at::manual_seed(1);
    MethodRegistry::builtin().declare(groups_);
    groups_.resolve(info_);
    network_->add_classes(2, 0);
  }

  Batch batch_of(const std::vector<int64_t>& labels) const {
    const auto count = static_cast<int64_t>(labels.size());
    return {.images = torch::randn({count, 3, 16, 16}), .labels = torch::tensor(labels)};
  }
  std::unique_ptr<Method> make(const std::string& name) {
    return MethodRegistry::builtin().find(name).recipe(TaskKind::kClassification).make(groups_);
  }
  // batches: what a pass over the task's images gives.
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
  // To the second task, with a student that has moved away from the old model.
  void next_task() {
    old_ = std::dynamic_pointer_cast<LinearNetwork>(network_->frozen_copy());
    network_->add_classes(2, 0);
    const at::NoGradGuard no_grad;
    for (auto& parameter : network_->parameters())
      parameter.add_(0.05 * torch::ones_like(parameter).cumsum(0));
  }
  Step step(int64_t task, const Batch& batch, int64_t number = 0, int64_t epoch = 0) {
    return {plan_.task(task), batch,
            *network_,        task > 1 ? old_.get() : nullptr,
            watch_,           {.seed = 5, .step = number, .epoch = epoch}};
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

  DatasetInfo info_ = make_info();
  TaskPlan plan_{make_stream(), info_};
  std::shared_ptr<LinearNetwork> network_ = std::make_shared<LinearNetwork>(3 * 16 * 16, 8);
  std::shared_ptr<LinearNetwork> old_;
  OptionGroups groups_;
  Stopwatch watch_;
};

}  // namespace lethe::test
